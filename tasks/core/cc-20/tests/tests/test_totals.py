"""The column `invoices.total_cents`: how it comes into old databases, and how it stays right."""

import itertools
import sqlite3

import pytest

from billbook import MigrationError, NoSuchInvoice, Store, Summary, archive_lines, connect, current_version, import_lines, migrate


class Now:
    def __init__(self):
        self.day = 0

    def __call__(self):
        self.day += 1
        return f"2026-02-{self.day:02}T12:00:00+00:00"


# number, customer, status, changed_at, revision; lines as (quantity, price, discount, voided), archived ones after them.
OLD = [
    ("2019-001", 1, "paid", "2019-05-01T10:00:00+00:00", 7, [], [("2", 1999, 0, 0), ("1", 500, 25, 0), ("1", 7777, 0, 1)]),
    ("2024-001", 2, "issued", "2024-03-01T10:00:00+00:00", 3, [("0.35", 1010, 0, 0), ("0.35", 1010, 0, 0), ("0.35", 1010, 0, 0)], []),
    ("2024-002", 1, "issued", "2024-03-02T10:00:00+00:00", 2, [("1", 900, 0, 1)], []),
    ("2024-003", 1, "draft", "2024-03-03T10:00:00+00:00", 1, [], []),
    ("2025-001", 2, "paid", "2025-03-03T10:00:00+00:00", 12, [("1", 10000, 0, 0), ("0.35", -1010, 0, 0)], [("3", 333, 10, 0)]),
    ("2025-002", 1, "draft", "2025-03-04T10:00:00+00:00", 2, [("1.005", 100, 0, 0), ("2.5", 1, 0, 0), ("3.5", 1, 0, 0)], []),
    ("2025-003", 1, "draft", "2025-03-05T10:00:00+00:00", 4, [("1", -2500, 0, 0), ("1000000", 123456789, 0, 0)], []),
]
TOTALS = {
    "2019-001": 2 * 1999 + 375,
    "2024-001": 3 * 354,
    "2024-002": 0,
    "2024-003": 0,
    "2025-001": 10000 - 354 + 899,
    "2025-002": 101 + 3 + 4,
    "2025-003": -2500 + 123456789000000,
}


def fill(connection):
    """Puts old invoices into a database of version 3, past the code."""
    ids = itertools.count(1)
    connection.execute("INSERT INTO customers (id, name) VALUES (1, 'Hale Bakery'), (2, 'Weber Clocks')")
    for number, customer, status, changed_at, revision, lines, archived in OLD:
        id = connection.execute(
            "INSERT INTO invoices (number, customer_id, status, changed_at, revision) VALUES (?, ?, ?, ?, ?)",
            (number, customer, status, changed_at, revision),
        ).lastrowid
        connection.execute(
            "INSERT INTO invoice_log (invoice_id, revision, status, changed_at) VALUES (?, ?, ?, ?)",
            (id, revision, status, changed_at),
        )
        for table, rows in (("lines", lines), ("line_archive", archived)):
            for row in rows:
                connection.execute(
                    f"INSERT INTO {table} (id, invoice_id, text, quantity, price_cents, discount_percent, voided) VALUES (?, ?, 'Work', ?, ?, ?, ?)",
                    (next(ids), id, *row),
                )


def content(connection):
    """Everything in a database but the column and the versions."""
    queries = {
        "customers": "SELECT id, name FROM customers ORDER BY id",
        "invoices": "SELECT id, number, customer_id, status, changed_at, revision FROM invoices ORDER BY id",
        "lines": "SELECT id, invoice_id, text, quantity, price_cents, discount_percent, voided FROM lines ORDER BY id",
        "line_archive": "SELECT id, invoice_id, text, quantity, price_cents, discount_percent, voided FROM line_archive ORDER BY id",
        "invoice_log": "SELECT id, invoice_id, revision, status, changed_at FROM invoice_log ORDER BY id",
    }
    return {name: connection.execute(query).fetchall() for name, query in queries.items()}


def columns(connection):
    return {row[1] for row in connection.execute("PRAGMA table_info (invoices)")}


BEFORE = {"id", "number", "customer_id", "status", "changed_at", "revision"}


def stored(connection):
    """The column by number."""
    return dict(connection.execute("SELECT number, total_cents FROM invoices"))


@pytest.fixture
def connection():
    connection = connect()
    yield connection
    connection.close()


@pytest.fixture
def old(connection):
    """A database of version 3 with invoices in it."""
    migrate(connection, target=3)
    fill(connection)
    return connection


@pytest.fixture
def now(old):
    """A database that was migrated."""
    migrate(old)
    return old


def test_version_3_stays_as_it_is(old):
    assert columns(old) == BEFORE
    assert current_version(old) == 3


def test_the_migration_is_the_fourth(old):
    assert migrate(old) == [4]
    assert current_version(old) == 4
    assert "total_cents" in columns(old)


def test_old_invoices_get_their_totals(now):
    assert stored(now) == TOTALS
    assert {type(total) for total in stored(now).values()} == {int}


def test_nothing_else_is_changed(old):
    before = content(old)
    migrate(old)
    assert "total_cents" in columns(old)
    assert content(old) == before
    assert old.execute("PRAGMA foreign_key_check").fetchall() == []
    assert old.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert not old.in_transaction


def test_the_column_holds_no_null(now):
    with pytest.raises(sqlite3.IntegrityError):
        now.execute("UPDATE invoices SET total_cents = NULL")


def test_rules_of_the_tables_are_kept(now):
    with pytest.raises(sqlite3.IntegrityError):
        now.execute("UPDATE invoices SET status = 'lost'")
    with pytest.raises(sqlite3.IntegrityError):
        now.execute("UPDATE invoices SET customer_id = 99")
    with pytest.raises(sqlite3.IntegrityError):
        now.execute("UPDATE invoices SET number = '2019-001'")
    with pytest.raises(sqlite3.IntegrityError):
        now.execute("INSERT INTO lines (invoice_id, text, quantity, price_cents) VALUES (99, 'Work', '1', 1)")
    indexes = {row[1] for row in now.execute("PRAGMA index_list (invoices)")}
    assert "invoices_by_customer" in indexes


def test_revisions_go_on(now):
    store = Store(now, Now())
    store.set_status("2024-003", "issued")
    assert store.get("2024-003").revision == 2
    assert store.log("2024-003")[-1] == (2, "issued", "2026-02-01T12:00:00+00:00")
    now.execute("UPDATE invoices SET changed_at = 'by hand' WHERE number = '2019-001'")
    assert store.get("2019-001").revision == 8


def test_drafts_go_with_their_lines(now):
    Store(now, Now()).delete_draft("2025-002")
    assert now.execute("SELECT count(*) FROM lines WHERE text = 'Work' AND invoice_id NOT IN (SELECT id FROM invoices)").fetchone() == (0,)
    assert now.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("table", ["lines", "line_archive"])
def test_what_cannot_be_computed_changes_nothing(old, table):
    last = old.execute("SELECT max(id) FROM invoices").fetchone()[0]
    old.execute(
        f"INSERT INTO {table} (id, invoice_id, text, quantity, price_cents, discount_percent, voided) VALUES (99, ?, 'Work', 'some', 100, 0, 0)",
        (last,),
    )
    before = content(old)
    with pytest.raises(MigrationError) as caught:
        migrate(old)
    assert (caught.value.version, caught.value.direction) == (4, "up")
    assert current_version(old) == 3
    assert columns(old) == BEFORE
    assert content(old) == before
    old.execute("UPDATE invoices SET changed_at = 'later' WHERE id = ?", (last,))
    assert old.execute("SELECT revision FROM invoices WHERE id = ?", (last,)).fetchone() == (5,)
    old.execute(f"UPDATE {table} SET quantity = '1' WHERE quantity = 'some'")
    assert migrate(old) == [4]
    assert stored(old) == {**TOTALS, "2025-003": TOTALS["2025-003"] + 100}


def test_voided_nonsense_does_not_matter(old):
    old.execute("INSERT INTO lines (invoice_id, text, quantity, price_cents, voided) VALUES (1, 'Work', 'some', 100, 1)")
    migrate(old)
    assert stored(old) == TOTALS


def test_down(now):
    before = content(now)
    assert migrate(now, target=3) == [4]
    assert columns(now) == BEFORE
    assert content(now) == before
    now.execute("UPDATE invoices SET changed_at = 'later' WHERE number = '2024-003'")
    assert now.execute("SELECT revision FROM invoices WHERE number = '2024-003'").fetchone() == (2,)
    now.execute("INSERT INTO lines (invoice_id, text, quantity, price_cents) VALUES (4, 'Work', '2', 150)")


def test_up_again(now):
    migrate(now, target=3)
    now.execute("INSERT INTO lines (invoice_id, text, quantity, price_cents) VALUES (4, 'Work', '2', 150)")
    migrate(now)
    assert stored(now) == {**TOTALS, "2024-003": 300}


def test_down_to_nothing(now):
    assert migrate(now, target=0) == [4, 3, 2, 1]
    assert migrate(now) == [1, 2, 3, 4]
    assert stored(now) == {}


def test_many_invoices(connection):
    migrate(connection, target=3)
    connection.execute("INSERT INTO customers (id, name) VALUES (1, 'Hale Bakery')")
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO invoices (id, number, customer_id, changed_at) VALUES (?, ?, 1, '2020-01-01')", [(n, f"{n:05}") for n in range(1, 3001)]
    )
    connection.executemany(
        "INSERT INTO lines (invoice_id, text, quantity, price_cents) VALUES (?, 'Work', '1', ?)", [(n, n) for n in range(1, 3001)]
    )
    connection.execute("COMMIT")
    migrate(connection)
    assert stored(connection) == {f"{n:05}": n for n in range(1, 3001)}
    assert connection.execute("SELECT max(revision) FROM invoices").fetchone() == (1,)


def test_new_invoices_come_to_nothing(now):
    Store(now, Now()).create_invoice("2026-001", 1)
    assert stored(now)["2026-001"] == 0


def test_lines_are_added(now):
    store = Store(now, Now())
    store.add_line("2024-003", "Work", "0.35", 1010)
    assert stored(now) == {**TOTALS, "2024-003": 354}
    store.add_line("2024-003", "Credit", 1, -1000, discount_percent=50)
    assert stored(now)["2024-003"] == -146
    store.add_line("2025-001", "Late", "1", 1)
    assert stored(now)["2025-001"] == TOTALS["2025-001"] + 1


def test_lines_are_changed(now):
    store = Store(now, Now())
    line = store.add_line("2025-001", "Work", "1", 1000)
    for values, cents in (({"quantity": "2.5"}, 2500), ({"price_cents": 333}, 833), ({"discount_percent": 10}, 749), ({"text": "Repair"}, 749)):
        store.change_line(line, **values)
        assert stored(now)["2025-001"] == TOTALS["2025-001"] + cents
    store.change_line(line, quantity=1, price_cents=100, discount_percent=0)
    assert stored(now) == {**TOTALS, "2025-001": TOTALS["2025-001"] + 100}


def test_lines_are_voided_and_restored(now):
    store = Store(now, Now())
    line = store.add_line("2025-001", "Work", "1", 1000)
    for _ in range(2):
        store.void_line(line)
        assert stored(now) == TOTALS
    for _ in range(2):
        store.restore_line(line)
        assert stored(now)["2025-001"] == TOTALS["2025-001"] + 1000


def test_invoices_are_copied(now):
    store = Store(now, Now())
    for number in ("2019-001", "2025-001", "2024-002"):
        store.copy_invoice(number, f"{number}-copy")
        assert stored(now)[f"{number}-copy"] == TOTALS[number]
        assert store.get(f"{number}-copy").revision == 1
        assert store.log(f"{number}-copy") == []


def test_lines_are_imported(now):
    rows = [
        {"number": "2024-003", "text": "Work", "quantity": "0.35", "price_cents": "1010"},
        {"number": "2025-002", "text": "Work", "quantity": "2", "price_cents": "500"},
        {"number": "2024-003", "text": "Way", "quantity": "12", "price_cents": "45"},
    ]
    import_lines(now, rows, Now())
    assert stored(now) == {**TOTALS, "2024-003": 894, "2025-002": TOTALS["2025-002"] + 1000}
    with pytest.raises(NoSuchInvoice):
        import_lines(now, [*rows, {**rows[0], "number": "2019-001"}], Now())
    assert stored(now)["2024-003"] == 894


def test_lines_are_archived(now):
    before = content(now)["invoice_log"]
    assert archive_lines(now, "2026-01-01") == 2
    assert stored(now) == TOTALS
    assert content(now)["invoice_log"] == before


def test_every_change_is_still_one_revision(now):
    store = Store(now, Now())
    line = store.add_line("2024-003", "Work", 1, 1000)
    store.change_line(line, quantity=2)
    store.change_line(line, text="Repair")
    store.void_line(line)
    store.restore_line(line)
    import_lines(now, [{"number": "2024-003", "text": t, "quantity": "1", "price_cents": "5"} for t in "abc"], lambda: "2026-02-06T12:00:00+00:00")
    store.set_status("2024-003", "issued")
    assert store.log("2024-003")[1:] == [
        (2, "draft", "2026-02-01T12:00:00+00:00"),
        (3, "draft", "2026-02-02T12:00:00+00:00"),
        (4, "draft", "2026-02-03T12:00:00+00:00"),
        (5, "draft", "2026-02-04T12:00:00+00:00"),
        (6, "draft", "2026-02-05T12:00:00+00:00"),
        (7, "draft", "2026-02-06T12:00:00+00:00"),
        (8, "issued", "2026-02-06T12:00:00+00:00"),
    ]
    assert store.get("2024-003").revision == 8


def test_what_the_store_gives_out(now):
    store = Store(now, Now())
    assert {number: store.get(number).total_cents for number in TOTALS} == TOTALS
    assert {row.number: row.total_cents for row in store.list_invoices()} == TOTALS
    assert store.list_invoices(customer="Weber Clocks", status="paid") == [Summary("2025-001", "Weber Clocks", "paid", TOTALS["2025-001"])]


def test_lists_do_not_read_lines(now):
    """SQLite itself is asked which tables are read."""
    read = set()

    def authorize(action, first, second, database, trigger):
        if action == sqlite3.SQLITE_READ:
            read.add(first)
        return sqlite3.SQLITE_OK

    now.set_authorizer(authorize)
    try:
        rows = Store(now, Now()).list_invoices()
    finally:
        now.set_authorizer(None)
    assert len(rows) == len(OLD)
    assert "invoices" in read
    assert not read & {"lines", "line_archive"}


def test_lists_by_total(now):
    store = Store(now, Now())
    numbers = [row.number for row in store.list_invoices(order="total")]
    assert numbers == ["2025-003", "2025-001", "2019-001", "2024-001", "2025-002", "2024-002", "2024-003"]
    assert [row.number for row in store.list_invoices(order="number")] == sorted(TOTALS)
    assert [row.number for row in store.list_invoices(customer="Hale Bakery", order="total")][:2] == ["2025-003", "2019-001"]
    with pytest.raises(ValueError):
        store.list_invoices(order="colour")


def test_lists_from_a_total_on(now):
    store = Store(now, Now())
    assert [row.number for row in store.list_invoices(min_total_cents=1062)] == ["2019-001", "2024-001", "2025-001", "2025-003"]
    assert [row.number for row in store.list_invoices(min_total_cents=1063, status="paid")] == ["2019-001", "2025-001"]
    assert len(store.list_invoices(min_total_cents=0)) == len(OLD)
    store.add_line("2024-003", "Credit", 1, -1)
    assert "2024-003" not in [row.number for row in store.list_invoices(min_total_cents=0)]
