"""Reading and writing invoices."""

from datetime import datetime, timezone

from .amounts import invoice_cents, line_cents
from .database import transaction
from .models import Invoice, Line, NoSuchInvoice, NoSuchLine, Summary

LINE = "id, text, quantity, price_cents, discount_percent, voided"


def utc_now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


class Store:
    """Invoices in a database; `now` gives the text that is stored as the time of a change."""

    def __init__(self, connection, now=utc_now):
        self._connection = connection
        self._now = now

    def add_customer(self, name):
        """The id of a customer, who is added if need be."""
        with transaction(self._connection):
            self._connection.execute("INSERT OR IGNORE INTO customers (name) VALUES (?)", (name,))
            return self._connection.execute("SELECT id FROM customers WHERE name = ?", (name,)).fetchone()[0]

    def create_invoice(self, number, customer_id):
        with transaction(self._connection):
            self._connection.execute(
                "INSERT INTO invoices (number, customer_id, changed_at) VALUES (?, ?, ?)",
                (number, customer_id, self._now()),
            )

    def copy_invoice(self, number, new_number):
        """A new draft with the lines of another invoice that are not voided."""
        with transaction(self._connection):
            source = self._id(number)
            self._connection.execute(
                "INSERT INTO invoices (number, customer_id, changed_at)"
                " SELECT ?, customer_id, ? FROM invoices WHERE id = ?",
                (new_number, self._now(), source),
            )
            for table in ("line_archive", "lines"):
                self._connection.execute(
                    "INSERT INTO lines (invoice_id, text, quantity, price_cents, discount_percent)"
                    f" SELECT ?, text, quantity, price_cents, discount_percent FROM {table}"
                    " WHERE invoice_id = ? AND voided = 0 ORDER BY id",
                    (self._id(new_number), source),
                )

    def add_line(self, number, text, quantity, price_cents, discount_percent=0):
        """Adds a line and returns its id."""
        line_cents(quantity, price_cents, discount_percent)
        with transaction(self._connection):
            invoice = self._id(number)
            cursor = self._connection.execute(
                "INSERT INTO lines (invoice_id, text, quantity, price_cents, discount_percent) VALUES (?, ?, ?, ?, ?)",
                (invoice, text, str(quantity), price_cents, discount_percent),
            )
            self._touch(invoice)
            return cursor.lastrowid

    def change_line(self, line_id, **values):
        """Changes `text`, `quantity`, `price_cents` or `discount_percent` of a line."""
        unknown = set(values) - {"text", "quantity", "price_cents", "discount_percent"}
        if unknown or not values:
            raise ValueError(f"cannot change {', '.join(sorted(unknown)) or 'nothing'}")
        if "quantity" in values:
            line_cents(values["quantity"], 0)
            values["quantity"] = str(values["quantity"])
        self._update_line(line_id, ", ".join(f"{name} = :{name}" for name in values), values)

    def void_line(self, line_id):
        self._update_line(line_id, "voided = 1", {})

    def restore_line(self, line_id):
        self._update_line(line_id, "voided = 0", {})

    def set_status(self, number, status):
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE invoices SET status = ?, changed_at = ? WHERE id = ?", (status, self._now(), self._id(number))
            )

    def delete_draft(self, number):
        """Deletes an invoice that was not issued, with its lines."""
        with transaction(self._connection):
            cursor = self._connection.execute("DELETE FROM invoices WHERE number = ? AND status = 'draft'", (number,))
            if cursor.rowcount == 0:
                raise NoSuchInvoice(f"no draft {number}")

    def get(self, number):
        row = self._connection.execute(
            "SELECT i.id, i.number, c.name, i.status, i.revision, i.changed_at"
            " FROM invoices i JOIN customers c ON c.id = i.customer_id WHERE i.number = ?",
            (number,),
        ).fetchone()
        if row is None:
            raise NoSuchInvoice(number)
        lines = []
        for table in ("line_archive", "lines"):
            for line in self._connection.execute(f"SELECT {LINE} FROM {table} WHERE invoice_id = ? ORDER BY id", row[:1]):
                lines.append(Line(*line[:-1], voided=bool(line[-1])))
        return Invoice(*row[1:], total_cents=invoice_cents(self._connection, row[0]), lines=tuple(lines))

    def list_invoices(self, customer=None, status=None):
        """Summaries by number; of a customer or of a status alone."""
        rows = self._connection.execute(
            "SELECT i.id, i.number, c.name, i.status FROM invoices i JOIN customers c ON c.id = i.customer_id"
            " WHERE (:customer IS NULL OR c.name = :customer) AND (:status IS NULL OR i.status = :status) ORDER BY i.number",
            {"customer": customer, "status": status},
        ).fetchall()
        return [Summary(*row[1:], total_cents=invoice_cents(self._connection, row[0])) for row in rows]

    def log(self, number):
        """The revisions of an invoice, as (revision, status, changed_at)."""
        return self._connection.execute(
            "SELECT revision, status, changed_at FROM invoice_log WHERE invoice_id = ? ORDER BY id", (self._id(number),)
        ).fetchall()

    def _id(self, number):
        row = self._connection.execute("SELECT id FROM invoices WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise NoSuchInvoice(number)
        return row[0]

    def _update_line(self, line_id, assignments, values):
        with transaction(self._connection):
            row = self._connection.execute("SELECT invoice_id FROM lines WHERE id = ?", (line_id,)).fetchone()
            if row is None:
                raise NoSuchLine(line_id)
            self._connection.execute(f"UPDATE lines SET {assignments} WHERE id = :id", {**values, "id": line_id})
            self._touch(row[0])

    def _touch(self, invoice_id):
        """Makes a new revision of an invoice whose lines were changed."""
        self._connection.execute("UPDATE invoices SET changed_at = ? WHERE id = ?", (self._now(), invoice_id))
