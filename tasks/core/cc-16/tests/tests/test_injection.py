"""Text is text: whatever comes in is looked for, and never becomes part of a statement."""

import sqlite3
from urllib.parse import quote, urlencode

import pytest
from stock import PARTS, stock

from sparebin import BadQuery, NoSuchSearch, Part, SearchQuery, count, handle, run_saved, save_search, saved_names, search, suggest
from sparebin.database import add_part

ODD = [
    (Part("Q-1", "O'Ring 20 mm", "seals", "O'Brien & Sons", 90, 5, 'rubber, "soft"'), 40),
    (Part("Q-2", "Tape 100% cotton", "kids' corner", "50%_off", 150, 6, "width_25"), 60),
    (Part("Q-3", "Tape 1000 m", "general", "Marin Fittings", 160, 8, "widthx25 C:\\parts"), 70),
    (Part("Q-4", "Label; DROP TABLE parts", "general", "Marin Fittings", 170, 9, "a joke -- of somebody"), 80),
]


@pytest.fixture
def connection():
    connection = stock()
    for part, cost in ODD:
        add_part(connection, part, cost)
    yield connection
    connection.close()


@pytest.fixture(autouse=True)
def nothing_is_lost(connection):
    """After every test all parts and agreements are there, and no table was added or dropped."""

    def look():
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        return names, [connection.execute(f"SELECT count(*) FROM {t}").fetchone() for t in ("parts", "agreements", "suppliers")]

    before = look()
    yield
    assert look() == before


def numbers(connection, **fields):
    query = SearchQuery(sort="number", **fields)
    found = [part.number for part in search(connection, query)]
    assert count(connection, query) == len(found)
    return found


TERMS = [
    ("O'Ring", ["Q-1"]),
    ("o'ring 20", ["Q-1"]),
    ("'", ["Q-1"]),
    ('"soft"', ["Q-1"]),
    ("''", []),
    ("100%", ["Q-2"]),
    ("%", ["Q-2"]),
    ("_", ["Q-2"]),
    ("width_25", ["Q-2"]),
    ("C:\\parts", ["Q-3"]),
    ("\\", ["Q-3"]),
    ("\\%", []),
    ("union", ["P-100", "P-101"]),
    ("drop", ["P-200", "Q-4"]),
    ("select", ["P-300"]),
    ("--", ["P-300", "Q-4"]),
    ("table;", []),
    ("label; drop table", ["Q-4"]),
]


@pytest.mark.parametrize(("term", "found"), TERMS, ids=[f"term-{n}" for n in range(len(TERMS))])
def test_terms_are_text(connection, term, found):
    assert numbers(connection, term=term) == found


ATTACKS = [
    "x' OR '1'='1",
    "x%' OR 1=1 --",
    "x')OR(1=1)--",
    "x%')OR(1)--",
    "zzz')UNION/**/SELECT/**/number,cost,1,1,1,1,1/**/FROM/**/agreements--",
    "'; DROP TABLE parts; --",
    "x'/**/OR/**/'1'='1",
]
IDS = ["or", "comment", "bracket", "like", "union", "drop", "no-blanks"]


@pytest.mark.parametrize("text", ATTACKS, ids=IDS)
def test_attacks_find_nothing(connection, text):
    assert numbers(connection, term=text) == []
    assert numbers(connection, categories=[text]) == []
    assert numbers(connection, categories=["heating", text]) == ["P-300", "P-301"]
    assert numbers(connection, supplier=text) == []
    assert suggest(connection, text) == []
    with pytest.raises(NoSuchSearch):
        run_saved(connection, text)


def test_categories_and_suppliers_are_text(connection):
    assert numbers(connection, categories=["kids' corner"]) == ["Q-2"]
    assert numbers(connection, categories=["kids' corner", "seals"]) == ["Q-1", "Q-2"]
    assert numbers(connection, categories=["heating', 'seals"]) == []
    assert numbers(connection, supplier="O'Brien & Sons") == ["Q-1"]
    assert numbers(connection, supplier="50%_off") == ["Q-2"]
    assert numbers(connection, supplier="%") == []
    assert numbers(connection, supplier="") == []


def test_many_conditions_at_once(connection):
    assert numbers(connection, term="tape", categories=["general", "kids' corner"], min_price=150, max_price="150") == ["Q-2"]


SORTS = [
    "",
    "-",
    "--name",
    "cost",
    "supplier_id",
    "description",
    "rowid",
    "name, p.price",
    "name DESC",
    "price; DROP TABLE parts",
    "number LIMIT 1 --",
    "price+(SELECT cost FROM agreements)",
    "price*(CASE WHEN (SELECT max(cost) FROM agreements) > 2000 THEN 1 ELSE -1 END)",
    "1",
    "p.price",
    '"price"',
]


@pytest.mark.parametrize("sort", SORTS, ids=[f"sort-{n}" for n in range(len(SORTS))])
def test_unknown_orders_are_refused(connection, sort):
    with pytest.raises(BadQuery):
        search(connection, SearchQuery(sort=sort))


NO_NUMBERS = ["", "ten", "1 OR 1=1", "1; DROP TABLE parts", "(SELECT 1)", "1 UNION SELECT 1", "price", "1.5", "0 --"]


@pytest.mark.parametrize("text", NO_NUMBERS, ids=[f"text-{n}" for n in range(len(NO_NUMBERS))])
@pytest.mark.parametrize("field", ["min_price", "max_price", "limit", "offset"])
def test_what_is_no_number_is_refused(connection, field, text):
    with pytest.raises(BadQuery):
        search(connection, SearchQuery(**{field: text}))


@pytest.mark.parametrize(("field", "value"), [("limit", 0), ("limit", 101), ("limit", "-1"), ("offset", -1), ("limit", "1000")], ids=["none", "too-many", "negative", "before", "far-too-many"])
def test_pages_have_bounds(connection, field, value):
    with pytest.raises(BadQuery):
        search(connection, SearchQuery(**{field: value}))


def test_the_bounds_of_pages_are_fine(connection):
    assert len(search(connection, SearchQuery(limit=100))) == 10
    assert len(search(connection, SearchQuery(limit="1", offset="0"))) == 1
    assert search(connection, SearchQuery(offset=1000)) == []


@pytest.mark.parametrize("field", ["min_price", "max_price"])
def test_count_refuses_what_is_no_number(connection, field):
    with pytest.raises(BadQuery):
        count(connection, SearchQuery(**{field: "1 OR 1=1"}))


def test_suggestions_are_text(connection):
    assert suggest(connection, "O'R") == ["O'Ring 20 mm"]
    assert suggest(connection, "o'") == ["O'Ring 20 mm"]
    assert suggest(connection, "Tape 100%") == ["Tape 100% cotton"]
    assert suggest(connection, "tape") == ["Tape 100% cotton", "Tape 1000 m"]
    assert suggest(connection, "%") == []
    assert suggest(connection, "_ape") == []
    assert suggest(connection, "zzz' UNION SELECT cost FROM agreements --") == []


def test_saved_names_are_text(connection):
    names = ["Ann's list", "a'); DROP TABLE searches; --", 'say "hi"', "100%"]
    for name in names:
        save_search(connection, name, SearchQuery(categories=["seals"]))
    assert sorted(names) == saved_names(connection)
    for name in names:
        assert [part.number for part in run_saved(connection, name)] == ["Q-1"]


def test_saved_queries_are_text(connection):
    query = SearchQuery(term="O'Ring", supplier="O'Brien & Sons")
    save_search(connection, "rings", query)
    assert [part.number for part in run_saved(connection, "rings")] == ["Q-1"]
    save_search(connection, "rings", SearchQuery(supplier="x' OR '1'='1"))
    assert run_saved(connection, "rings") == []


def test_a_saved_query_is_no_way_around(connection):
    definition = '{"sort": "price+(SELECT cost FROM agreements)"}'
    with connection:
        connection.execute("INSERT INTO searches VALUES ('old', ?)", (definition,))
    with pytest.raises(BadQuery):
        run_saved(connection, "old")
    assert handle(connection, "/saved/old")[0] == 400


def test_the_web_shop_finds_text(connection):
    status, answer = handle(connection, "/parts", urlencode({"q": "O'Ring", "supplier": "O'Brien & Sons"}))
    assert (status, answer["total"], [p["number"] for p in answer["parts"]]) == (200, 1, ["Q-1"])
    assert handle(connection, "/suggest", urlencode({"q": "o'r"})) == (200, {"names": ["O'Ring 20 mm"]})
    save_search(connection, "Ann's list", SearchQuery(categories=["seals"]))
    assert handle(connection, "/saved/" + quote("Ann's list"))[1]["total"] == 1
    assert handle(connection, "/saved/" + quote("x' OR '1'='1"))[0] == 404


BAD_VALUES = [
    {"sort": "price+(SELECT cost FROM agreements)"},
    {"sort": "secret"},
    {"limit": "10 UNION SELECT 1"},
    {"limit": "0"},
    {"offset": "x"},
    {"min_price": "0 OR 1=1"},
    {"max_price": ""},
]


@pytest.mark.parametrize("values", BAD_VALUES, ids=[f"values-{n}" for n in range(len(BAD_VALUES))])
def test_the_web_shop_says_that_a_query_is_bad(connection, values):
    status, answer = handle(connection, "/parts", urlencode(values))
    assert status == 400
    assert isinstance(answer["error"], str) and set(answer) == {"error"}


@pytest.mark.parametrize("text", ATTACKS, ids=IDS)
def test_the_web_shop_under_attack(connection, text):
    for values in ({"q": text}, {"category": text}, {"supplier": text}):
        assert handle(connection, "/parts", urlencode(values)) == (200, {"total": 0, "parts": []})
    assert handle(connection, "/suggest", urlencode({"q": text})) == (200, {"names": []})


def test_searching_reads_no_agreements(connection):
    """SQLite itself is asked which tables are read."""
    read = set()

    def authorize(action, first, second, database, trigger):
        if action == sqlite3.SQLITE_READ:
            read.add(first)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(authorize)
    try:
        for text in ATTACKS:
            for fields in ({"term": text}, {"categories": [text]}, {"supplier": text}, {"sort": text}, {"limit": text}, {"max_price": text}):
                try:
                    search(connection, SearchQuery(**fields))
                except BadQuery:
                    pass
            suggest(connection, text)
    finally:
        connection.set_authorizer(None)
    assert read and "agreements" not in read


def test_all_of_the_small_stock_is_there(connection):
    assert numbers(connection) == [part.number for part, _ in PARTS + ODD]
