"""The money part of a point of sale."""

from .currencies import Currency, UnknownCurrency, currency
from .receipt import Line, Receipt
from .rounding import convert, line_total, round_amount, round_cash, split, tax_of

__all__ = [
    "Currency",
    "Line",
    "Receipt",
    "UnknownCurrency",
    "convert",
    "currency",
    "line_total",
    "round_amount",
    "round_cash",
    "split",
    "tax_of",
]
