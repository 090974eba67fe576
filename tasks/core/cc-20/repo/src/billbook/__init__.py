"""Invoices of a small workshop."""

from .archive import archive_lines
from .database import connect
from .importer import import_lines
from .migrate import MigrationError, current_version, latest_version, migrate
from .models import Invoice, Line, NoSuchInvoice, NoSuchLine, Summary
from .store import Store

__all__ = [
    "Invoice",
    "Line",
    "MigrationError",
    "NoSuchInvoice",
    "NoSuchLine",
    "Store",
    "Summary",
    "archive_lines",
    "connect",
    "current_version",
    "import_lines",
    "latest_version",
    "migrate",
]
