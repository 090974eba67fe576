"""Customers, invoices and their lines."""


def up(connection):
    connection.execute(
        """
        CREATE TABLE customers (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE invoices (
            id INTEGER PRIMARY KEY,
            number TEXT NOT NULL UNIQUE,
            customer_id INTEGER NOT NULL REFERENCES customers (id),
            status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'issued', 'paid')),
            changed_at TEXT NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX invoices_by_customer ON invoices (customer_id, status)")
    connection.execute(
        """
        CREATE TABLE lines (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            invoice_id INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            quantity TEXT NOT NULL,
            price_cents INTEGER NOT NULL,
            discount_percent INTEGER NOT NULL DEFAULT 0 CHECK (discount_percent BETWEEN 0 AND 100),
            voided INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX lines_by_invoice ON lines (invoice_id)")


def down(connection):
    for table in ("lines", "invoices", "customers"):
        connection.execute(f"DROP TABLE {table}")
