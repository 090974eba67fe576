"""Searches that are kept."""

import json

from .model import NoSuchSearch, SearchQuery
from .search import search


def save_search(connection, name, query):
    """Keeps a query under a name."""
    definition = json.dumps(query.to_dict())
    with connection:
        connection.execute(f"INSERT OR REPLACE INTO searches VALUES ('{name}', '{definition}')")


def load_search(connection, name):
    """The query that is kept under a name."""
    row = connection.execute(f"SELECT definition FROM searches WHERE name = '{name}'").fetchone()
    if row is None:
        raise NoSuchSearch(name)
    return SearchQuery(**json.loads(row[0]))


def run_saved(connection, name):
    """The parts that a kept query finds now."""
    return search(connection, load_search(connection, name))


def saved_names(connection):
    return [name for (name,) in connection.execute("SELECT name FROM searches ORDER BY name")]
