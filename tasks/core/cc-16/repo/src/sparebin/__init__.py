"""Stock of spare parts, and the search in it."""

from .database import connect
from .model import BadQuery, NoSuchSearch, Part, SearchQuery
from .saved import run_saved, save_search, saved_names
from .search import count, search, suggest
from .web import handle

__all__ = [
    "BadQuery",
    "NoSuchSearch",
    "Part",
    "SearchQuery",
    "connect",
    "count",
    "handle",
    "run_saved",
    "save_search",
    "saved_names",
    "search",
    "suggest",
]
