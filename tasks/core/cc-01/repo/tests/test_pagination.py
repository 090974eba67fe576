import pytest

from stacks import Page, PageOutOfRange, iter_pages, paginate
from stacks.pagination import page_count

LETTERS = list("abcdefghijklmnopqrstuvwxy")


def test_the_first_page():
    page = paginate(LETTERS, per_page=10)
    assert page.items == tuple("abcdefghij")
    assert (page.number, page.pages, page.total) == (1, 3, 25)
    assert page.has_next and not page.has_previous


def test_the_last_page_holds_the_rest():
    page = paginate(LETTERS, 3, 10)
    assert page.items == tuple("uvwxy")
    assert page.has_previous and not page.has_next


def test_positions_count_from_one():
    page = paginate(LETTERS, 2, 10)
    assert (page.first_index, page.last_index) == (11, 20)


@pytest.mark.parametrize("number", [0, -1, 4])
def test_a_page_that_does_not_exist(number):
    with pytest.raises(PageOutOfRange) as caught:
        paginate(LETTERS, number, 10)
    assert (caught.value.number, caught.value.pages) == (number, 3)


def test_an_empty_list_has_one_page_without_items():
    page = paginate([], per_page=10)
    assert page == Page(items=(), number=1, per_page=10, total=0, pages=1)
    assert not page.has_next
    assert (page.first_index, page.last_index) == (0, 0)


@pytest.mark.parametrize(("total", "per_page", "pages"), [(1, 20, 1), (21, 20, 2), (25, 10, 3), (7, 3, 3)])
def test_page_count(total, per_page, pages):
    assert page_count(total, per_page) == pages


def test_a_page_holds_at_least_one_item():
    with pytest.raises(ValueError):
        paginate(LETTERS, per_page=0)


def test_all_pages_together_are_the_list():
    pages = list(iter_pages(LETTERS, 10))
    assert [page.number for page in pages] == [1, 2, 3]
    assert [item for page in pages for item in page.items] == LETTERS
