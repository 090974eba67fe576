import pytest

from billbook import NoSuchInvoice, NoSuchLine, Store, archive_lines, connect, import_lines, migrate
from billbook.amounts import line_cents


class Now:
    """A clock that goes on by a day at every look."""

    def __init__(self):
        self.day = 0

    def __call__(self):
        self.day += 1
        return f"2026-01-{self.day:02}T12:00:00+00:00"


@pytest.fixture
def connection():
    connection = connect()
    migrate(connection)
    yield connection
    connection.close()


@pytest.fixture
def store(connection):
    store = Store(connection, Now())
    hale, weber = store.add_customer("Hale Bakery"), store.add_customer("Weber Clocks")
    store.create_invoice("2026-001", hale)
    store.create_invoice("2026-002", weber)
    return store


@pytest.mark.parametrize(
    ("quantity", "price", "discount", "cents"),
    [("1", 250, 0, 250), ("1.5", 6400, 0, 9600), ("3", 333, 10, 899), ("0.35", 1010, 0, 354), ("0.35", -1010, 0, -354), (2, 5, 50, 5)],
)
def test_what_a_line_comes_to(quantity, price, discount, cents):
    assert line_cents(quantity, price, discount) == cents


@pytest.mark.parametrize("quantity", ["", "two", "NaN", None])
def test_what_is_no_quantity(store, quantity):
    with pytest.raises(ValueError):
        store.add_line("2026-001", "Nothing", quantity, 100)
    assert store.get("2026-001").lines == ()


def test_an_invoice_and_its_lines(store):
    store.add_line("2026-001", "Oven door, repair", "1.5", 6400)
    store.add_line("2026-001", "Gasket", 2, 1250, discount_percent=10)
    invoice = store.get("2026-001")
    assert (invoice.customer, invoice.status, invoice.total_cents) == ("Hale Bakery", "draft", 11850)
    assert [(line.text, line.quantity) for line in invoice.lines] == [("Oven door, repair", "1.5"), ("Gasket", "2")]


def test_lines_are_changed_and_voided(store):
    line = store.add_line("2026-001", "Gasket", 2, 1250)
    store.change_line(line, quantity=3)
    assert store.get("2026-001").total_cents == 3750
    store.void_line(line)
    assert store.get("2026-001").total_cents == 0
    store.restore_line(line)
    assert store.get("2026-001").total_cents == 3750
    with pytest.raises(NoSuchLine):
        store.void_line(99)
    with pytest.raises(ValueError):
        store.change_line(line, colour="red")


def test_every_change_is_one_revision(store):
    line = store.add_line("2026-001", "Gasket", 2, 1250)
    store.change_line(line, price_cents=1300)
    store.void_line(line)
    store.set_status("2026-001", "issued")
    assert [(revision, status) for revision, status, _ in store.log("2026-001")] == [
        (2, "draft"),
        (3, "draft"),
        (4, "draft"),
        (5, "issued"),
    ]
    assert store.get("2026-001").revision == 5
    assert store.get("2026-002").revision == 1


def test_copies(store):
    store.add_line("2026-001", "Gasket", 2, 1250)
    store.void_line(store.add_line("2026-001", "Mistake", 1, 999))
    store.copy_invoice("2026-001", "2026-003")
    copy = store.get("2026-003")
    assert (copy.customer, copy.revision, copy.total_cents) == ("Hale Bakery", 1, 2500)
    assert [line.text for line in copy.lines] == ["Gasket"]


def test_imported_lines(store, connection):
    rows = [
        {"number": "2026-001", "text": "Work", "quantity": "0.75", "price_cents": "6400"},
        {"number": "2026-002", "text": "Work", "quantity": "2", "price_cents": "6400"},
        {"number": "2026-001", "text": "Way", "quantity": "12", "price_cents": "45"},
    ]
    assert import_lines(connection, rows, Now()) == 3
    assert [row.total_cents for row in store.list_invoices()] == [5340, 12800]
    assert store.get("2026-001").revision == 2
    with pytest.raises(NoSuchInvoice):
        import_lines(connection, [*rows, {**rows[0], "number": "none"}])
    assert len(store.get("2026-001").lines) == 2


def test_the_archive_is_no_change(store, connection):
    store.add_line("2026-001", "Work", 1, 6400)
    store.set_status("2026-001", "paid")
    store.add_line("2026-002", "Work", 1, 5000)
    before = store.get("2026-001")
    assert archive_lines(connection, "2027-01-01") == 1
    assert store.get("2026-001") == before


def test_lists(store):
    store.set_status("2026-002", "issued")
    assert [row.number for row in store.list_invoices()] == ["2026-001", "2026-002"]
    assert [row.number for row in store.list_invoices(customer="Weber Clocks")] == ["2026-002"]
    assert store.list_invoices(status="paid") == []


def test_drafts_are_deleted_with_their_lines(store, connection):
    store.add_line("2026-001", "Work", 1, 6400)
    store.delete_draft("2026-001")
    assert connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)
    with pytest.raises(NoSuchInvoice):
        store.get("2026-001")
