"""Revisions of invoices, kept by a trigger."""


def up(connection):
    connection.execute("ALTER TABLE invoices ADD COLUMN revision INTEGER NOT NULL DEFAULT 1")
    connection.execute(
        """
        CREATE TABLE invoice_log (
            id INTEGER PRIMARY KEY,
            invoice_id INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
            revision INTEGER NOT NULL,
            status TEXT NOT NULL,
            changed_at TEXT NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TRIGGER invoices_revision AFTER UPDATE ON invoices
        WHEN NEW.revision = OLD.revision
        BEGIN
            UPDATE invoices SET revision = OLD.revision + 1 WHERE id = OLD.id;
            INSERT INTO invoice_log (invoice_id, revision, status, changed_at)
            VALUES (OLD.id, OLD.revision + 1, NEW.status, NEW.changed_at);
        END
        """
    )


def down(connection):
    connection.execute("DROP TRIGGER invoices_revision")
    connection.execute("DROP TABLE invoice_log")
    connection.execute("ALTER TABLE invoices DROP COLUMN revision")
