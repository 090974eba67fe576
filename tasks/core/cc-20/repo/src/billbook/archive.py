"""Moving lines out of the way."""

from .database import transaction


def archive_lines(connection, before):
    """Moves the lines of paid invoices that were last changed before a day (as text); returns how many lines were moved."""
    chosen = "invoice_id IN (SELECT id FROM invoices WHERE status = 'paid' AND changed_at < ?)"
    with transaction(connection):
        connection.execute(
            "INSERT INTO line_archive (id, invoice_id, text, quantity, price_cents, discount_percent, voided)"
            f" SELECT id, invoice_id, text, quantity, price_cents, discount_percent, voided FROM lines WHERE {chosen}",
            (before,),
        )
        return connection.execute(f"DELETE FROM lines WHERE {chosen}", (before,)).rowcount
