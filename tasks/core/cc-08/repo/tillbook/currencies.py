"""The currencies that are taken."""

from dataclasses import dataclass
from decimal import Decimal


class UnknownCurrency(LookupError):
    """No currency has this code."""

    def __init__(self, code):
        super().__init__(f"unknown currency {code!r}")
        self.code = code


@dataclass(frozen=True)
class Currency:
    """A currency: its code, its decimals, and the smallest step that coins allow, where they allow less than decimals."""

    code: str
    decimals: int
    cash_step: Decimal | None = None

    @property
    def unit(self):
        """The smallest amount in the books."""
        return Decimal(1).scaleb(-self.decimals)


_ALL = {
    c.code: c
    for c in (
        Currency("CHF", 2, Decimal("0.05")),
        Currency("EUR", 2),
        Currency("GBP", 2),
        Currency("JPY", 0),
        Currency("KWD", 3),
        Currency("NZD", 2, Decimal("0.10")),
        Currency("SEK", 2, Decimal("1.00")),
        Currency("USD", 2),
    )
}


def currency(code):
    """The currency of a code, in any case."""
    if isinstance(code, Currency):
        return code
    try:
        return _ALL[code.upper()]
    except (AttributeError, KeyError):
        raise UnknownCurrency(code) from None


def known():
    """The codes of all currencies."""
    return sorted(_ALL)
