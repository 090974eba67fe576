"""Lines from the time clock of the workshop."""

from .amounts import line_cents
from .database import transaction
from .models import NoSuchInvoice
from .store import utc_now


def import_lines(connection, rows, now=utc_now):
    """Adds lines to drafts, all or none; rows are dicts of number, text, quantity, price_cents. Returns how many.

    Each invoice gets one new revision, however many lines it gets.
    """
    with transaction(connection):
        values, invoices = [], {}
        for row in rows:
            number = row["number"]
            if number not in invoices:
                found = connection.execute("SELECT id FROM invoices WHERE number = ? AND status = 'draft'", (number,)).fetchone()
                if found is None:
                    raise NoSuchInvoice(f"no draft {number}")
                invoices[number] = found[0]
            price = int(row["price_cents"])
            line_cents(row["quantity"], price)
            values.append((invoices[number], row["text"], row["quantity"], price))
        connection.executemany("INSERT INTO lines (invoice_id, text, quantity, price_cents) VALUES (?, ?, ?, ?)", values)
        time = now()
        connection.executemany("UPDATE invoices SET changed_at = ? WHERE id = ?", [(time, id) for id in invoices.values()])
    return len(values)
