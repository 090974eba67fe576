import pytest
from stock import stock

from sparebin import NoSuchSearch, SearchQuery, count, run_saved, save_search, saved_names, search, suggest


@pytest.fixture
def connection():
    connection = stock()
    yield connection
    connection.close()


def numbers(connection, **fields):
    return [part.number for part in search(connection, SearchQuery(**fields))]


def test_without_conditions_everything_is_found(connection):
    assert numbers(connection) == ["P-200", "P-400", "P-300", "P-301", "P-100", "P-101"]


@pytest.mark.parametrize(
    ("term", "found"),
    [("union", ["P-100", "P-101"]), ("NUT brass 15", ["P-100"]), ("p-30", ["P-300", "P-301"]), ("display", ["P-301"]), ("nail", [])],
)
def test_words(connection, term, found):
    assert numbers(connection, term=term) == found


def test_filters(connection):
    assert numbers(connection, categories=["heating", "electric"]) == ["P-200", "P-300", "P-301"]
    assert numbers(connection, supplier="Oil & Heat", max_price=2000) == ["P-300"]
    assert numbers(connection, min_price="310", max_price="890") == ["P-200", "P-400", "P-101"]


@pytest.mark.parametrize(
    ("sort", "found"),
    [
        ("price", ["P-100", "P-101", "P-400", "P-200", "P-300", "P-301"]),
        ("-stock", ["P-400", "P-100", "P-101", "P-200", "P-300", "P-301"]),
        ("-number", ["P-400", "P-301", "P-300", "P-200", "P-101", "P-100"]),
    ],
)
def test_order(connection, sort, found):
    assert numbers(connection, sort=sort) == found


def test_pages(connection):
    query = SearchQuery(sort="number", limit=2, offset="3")
    assert [part.number for part in search(connection, query)] == ["P-300", "P-301"]
    assert count(connection, query) == 6


def test_suggestions(connection):
    assert suggest(connection, "uni") == ["Union nut 15 mm", "Union nut 22 mm"]
    assert suggest(connection, "uni", limit=1) == ["Union nut 15 mm"]
    assert suggest(connection, "  ") == []


def test_saved_searches(connection):
    save_search(connection, "winter", SearchQuery(categories=["heating"]))
    save_search(connection, "cheap", SearchQuery(max_price=300))
    save_search(connection, "cheap", SearchQuery(max_price=400, sort="-price"))
    assert saved_names(connection) == ["cheap", "winter"]
    assert [part.number for part in run_saved(connection, "cheap")] == ["P-101", "P-100"]
    with pytest.raises(NoSuchSearch):
        run_saved(connection, "summer")
