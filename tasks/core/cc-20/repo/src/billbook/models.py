"""What the store gives out."""

from dataclasses import dataclass


class NoSuchInvoice(LookupError):
    """There is no invoice of this number."""


class NoSuchLine(LookupError):
    """There is no line of this id, or it is in the archive and cannot be changed."""


@dataclass(frozen=True)
class Line:
    """A line of an invoice."""

    id: int
    text: str
    quantity: str
    price_cents: int
    discount_percent: int
    voided: bool


@dataclass(frozen=True)
class Invoice:
    """An invoice with its lines, those in the archive first."""

    number: str
    customer: str
    status: str
    revision: int
    changed_at: str
    total_cents: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Summary:
    """A row of a list of invoices."""

    number: str
    customer: str
    status: str
    total_cents: int
