"""The catalogue of a small lending library."""

from .links import page_links
from .models import Title
from .pagination import Page, PageOutOfRange, iter_pages, paginate
from .search import search
from .store import Catalogue, CatalogueError

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Page",
    "PageOutOfRange",
    "Title",
    "iter_pages",
    "page_links",
    "paginate",
    "search",
]
