"""Receipts."""

from dataclasses import dataclass
from decimal import Decimal

from .currencies import currency
from .rounding import exact, line_total, round_cash, tax_of


@dataclass(frozen=True)
class Line:
    """Something sold."""

    name: str
    unit_price: str
    quantity: str | int = 1
    discount: str = "0"

    def total(self, code):
        return line_total(self.unit_price, self.quantity, code, self.discount)


class Receipt:
    """Lines with net prices, and what they come to."""

    def __init__(self, code, tax_rate="0"):
        self.currency = currency(code)
        self.tax_rate = exact(tax_rate)
        self.lines = []

    def add(self, line):
        if not line.name.strip():
            raise ValueError("a line needs a name")
        self.lines.append(line)

    @property
    def net(self):
        return sum((line.total(self.currency) for line in self.lines), Decimal(0) * self.currency.unit)

    @property
    def tax(self):
        return tax_of([line.total(self.currency) for line in self.lines], self.tax_rate, self.currency)

    @property
    def gross(self):
        return self.net + self.tax

    @property
    def cash(self):
        return round_cash(self.gross, self.currency)

    def render(self, width=40):
        """The receipt as text, `width` characters wide."""
        rows = [(line.name, line.total(self.currency)) for line in self.lines]
        rows += [("Net", self.net), ("Tax", self.tax), (f"Total {self.currency.code}", self.gross)]
        if self.cash != self.gross:
            rows.append(("In cash", self.cash))
        return "\n".join(_row(name, amount, width) for name, amount in rows)


def _row(name, amount, width):
    text = str(amount)
    room = width - len(text) - 1
    return f"{name[:room]:<{room}} {text}"
