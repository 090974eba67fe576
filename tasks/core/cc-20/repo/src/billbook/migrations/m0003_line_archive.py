"""A table for lines that are not changed any more."""


def up(connection):
    connection.execute(
        """
        CREATE TABLE line_archive (
            id INTEGER PRIMARY KEY,
            invoice_id INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            quantity TEXT NOT NULL,
            price_cents INTEGER NOT NULL,
            discount_percent INTEGER NOT NULL,
            voided INTEGER NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX line_archive_by_invoice ON line_archive (invoice_id)")


def down(connection):
    connection.execute(
        """
        INSERT INTO lines (id, invoice_id, text, quantity, price_cents, discount_percent, voided)
        SELECT id, invoice_id, text, quantity, price_cents, discount_percent, voided FROM line_archive
        """
    )
    connection.execute("DROP TABLE line_archive")
