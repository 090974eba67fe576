"""Answers for the web shop."""

from urllib.parse import parse_qs, unquote

from .model import NoSuchSearch, SearchQuery
from .saved import load_search
from .search import count, search, suggest


def handle(connection, path, query_string=""):
    """The status and the object that answer a request."""
    values = parse_qs(query_string, keep_blank_values=True)
    try:
        if path == "/parts":
            return 200, _found(connection, _query(values))
        if path == "/suggest":
            return 200, {"names": suggest(connection, _last(values, "q", ""))}
        if path.startswith("/saved/"):
            return 200, _found(connection, load_search(connection, unquote(path.removeprefix("/saved/"))))
    except NoSuchSearch as error:
        return 404, {"error": str(error)}
    return 404, {"error": f"nothing at {path}"}


def _query(values):
    return SearchQuery(
        term=_last(values, "q", ""),
        categories=values.get("category", []),
        supplier=_last(values, "supplier", None),
        min_price=_last(values, "min_price", None),
        max_price=_last(values, "max_price", None),
        sort=_last(values, "sort", "name"),
        limit=_last(values, "limit", 20),
        offset=_last(values, "offset", 0),
    )


def _found(connection, query):
    parts = search(connection, query)
    return {"total": count(connection, query), "parts": [part.to_dict() for part in parts]}


def _last(values, name, default):
    return values[name][-1] if name in values else default
