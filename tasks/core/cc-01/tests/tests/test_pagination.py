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


FULL = list(range(40))


@pytest.mark.parametrize(
    ("total", "per_page", "pages"), [(20, 20, 1), (40, 20, 2), (1, 1, 1), (3, 1, 3), (99, 33, 3), (1000, 100, 10)]
)
def test_page_count_of_full_pages(total, per_page, pages):
    assert page_count(total, per_page) == pages


def test_page_count_around_a_full_page():
    assert [page_count(total, 5) for total in range(0, 13)] == [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("total", [1, 4, 12])
def test_page_count_of_pages_longer_than_the_list(total):
    assert page_count(total, 50) == 1


def test_a_full_last_page_has_no_next():
    page = paginate(FULL, 2, 20)
    assert page.items == tuple(range(20, 40))
    assert page.pages == 2
    assert not page.has_next
    assert (page.first_index, page.last_index) == (21, 40)


def test_a_single_full_page():
    page = paginate(FULL, 1, 40)
    assert page == Page(items=tuple(range(40)), number=1, per_page=40, total=40, pages=1)
    assert not page.has_next and not page.has_previous


def test_the_page_after_a_full_one_does_not_exist():
    with pytest.raises(PageOutOfRange) as caught:
        paginate(FULL, 3, 20)
    assert (caught.value.number, caught.value.pages) == (3, 2)
    assert str(caught.value) == "there is no page 3; pages go from 1 to 2"


def test_pages_that_are_all_full():
    pages = list(iter_pages(FULL, 8))
    assert [len(page.items) for page in pages] == [8, 8, 8, 8, 8]
    assert [page.has_next for page in pages] == [True, True, True, True, False]


def test_the_pages_of_an_empty_list():
    pages = list(iter_pages([], 8))
    assert [(page.number, page.pages, page.items) for page in pages] == [(1, 1, ())]


def test_the_second_page_of_an_empty_list_does_not_exist():
    with pytest.raises(PageOutOfRange):
        paginate([], 2, 8)


def test_a_list_cannot_have_less_than_no_items():
    with pytest.raises(ValueError):
        page_count(-1, 10)
    with pytest.raises(ValueError):
        page_count(-10, 10)
