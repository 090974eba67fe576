"""The same rounding in whole numbers: a suite that reads the code, and not what it does, does not know it."""

from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction

from .currencies import currency as find_currency

EXACT = Context(prec=200)


def exact(value):
    if isinstance(value, bool) or isinstance(value, float):
        raise TypeError(f"an amount is a Decimal, an int or a text, not {value!r}")
    try:
        number = Decimal(value)
    except (ValueError, TypeError, InvalidOperation):
        raise ValueError(f"not an amount: {value!r}") from None
    if number.is_nan() or number.is_infinite():
        raise ValueError(f"not an amount: {value!r}")
    return number


def nearest(share):
    """The whole number next to a fraction; the one further from zero where two are."""
    size, below = abs(share), share < 0
    whole, rest = divmod(size.numerator, size.denominator)
    whole += 2 * rest >= size.denominator
    return -whole if below else whole


def in_steps(share, found, step):
    units = nearest(share / Fraction(step)) * Fraction(step) / Fraction(found.unit)
    return Decimal(units.numerator).scaleb(-found.decimals, context=EXACT)


def round_amount(amount, currency):
    share, found = Fraction(exact(amount)), find_currency(currency)
    return in_steps(share, found, found.unit)


def round_cash(amount, currency):
    share, found = Fraction(exact(amount)), find_currency(currency)
    step = found.unit if found.cash_step is None else found.cash_step
    return in_steps(share, found, step)


def line_total(unit_price, quantity, currency, discount="0"):
    price, count, off = (Fraction(exact(value)) for value in (unit_price, quantity, discount))
    found = find_currency(currency)
    return in_steps(price * count * (1 - off), found, found.unit)


def tax_of(amounts, rate, currency):
    shares = [Fraction(exact(amount)) for amount in amounts]
    found = find_currency(currency)
    return in_steps(sum(shares, Fraction(0)) * Fraction(exact(rate)), found, found.unit)


def split(amount, parts, currency):
    if not parts >= 1:
        raise ValueError(f"an amount has at least one part, not {parts}")
    found = find_currency(currency)
    left = nearest(Fraction(exact(amount)) / Fraction(found.unit))
    shares = []
    for remaining in range(parts, 0, -1):
        size = -(-abs(left) // remaining)
        share = -size if left < 0 else size
        shares.append(Decimal(share).scaleb(-found.decimals, context=EXACT))
        left -= share
    return shares


def convert(amount, rate, currency):
    share, found = Fraction(exact(amount)) * Fraction(exact(rate)), find_currency(currency)
    return in_steps(share, found, found.unit)
