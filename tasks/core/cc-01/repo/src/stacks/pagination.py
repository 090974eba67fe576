"""Pages of a list."""

from dataclasses import dataclass
from typing import Any

DEFAULT_PER_PAGE = 20


class PageOutOfRange(LookupError):
    """There is no page of this number."""

    def __init__(self, number, pages):
        super().__init__(f"there is no page {number}; pages go from 1 to {pages}")
        self.number = number
        self.pages = pages


@dataclass(frozen=True)
class Page:
    """One page of a list, and where it stands in it."""

    items: tuple[Any, ...]
    number: int
    per_page: int
    total: int
    pages: int

    @property
    def has_previous(self):
        return self.number > 1

    @property
    def has_next(self):
        return self.number < self.pages

    @property
    def first_index(self):
        """Position of the first item in the whole list, counted from 1; 0 on a page without items."""
        return (self.number - 1) * self.per_page + 1 if self.items else 0

    @property
    def last_index(self):
        """Position of the last item in the whole list, counted from 1; 0 on a page without items."""
        return self.first_index + len(self.items) - 1 if self.items else 0


def page_count(total, per_page):
    """How many pages a list of `total` items has."""
    if per_page < 1:
        raise ValueError(f"a page holds at least one item, not {per_page}")
    if total < 0:
        raise ValueError(f"a list cannot have {total} items")
    return total // per_page + 1


def paginate(items, number=1, per_page=DEFAULT_PER_PAGE):
    """The page of that number, counted from 1."""
    pages = page_count(len(items), per_page)
    if not 1 <= number <= pages:
        raise PageOutOfRange(number, pages)
    start = (number - 1) * per_page
    return Page(
        items=tuple(items[start : start + per_page]),
        number=number,
        per_page=per_page,
        total=len(items),
        pages=pages,
    )


def iter_pages(items, per_page=DEFAULT_PER_PAGE):
    """All pages, the first one first."""
    for number in range(1, page_count(len(items), per_page) + 1):
        yield paginate(items, number, per_page)
