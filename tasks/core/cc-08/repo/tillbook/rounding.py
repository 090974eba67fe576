"""Rounding of money. The README has the rules; every function here rounds once, and ties go away from zero."""

from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

from .currencies import currency as find_currency

# Wide enough that no product of amounts is rounded on the way.
EXACT = Context(prec=200)


def exact(value):
    """A number without the errors of binary floats."""
    if isinstance(value, (bool, float)):
        raise TypeError(f"an amount is a Decimal, an int or a text, not {value!r}")
    try:
        number = Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        raise ValueError(f"not an amount: {value!r}") from None
    if not number.is_finite():
        raise ValueError(f"not an amount: {value!r}")
    return number


def round_amount(amount, currency):
    """An amount with the decimals of its currency."""
    return _to_step(exact(amount), find_currency(currency).unit, currency)


def round_cash(amount, currency):
    """An amount as it can be paid in coins."""
    found = find_currency(currency)
    return _to_step(exact(amount), found.cash_step or found.unit, currency)


def line_total(unit_price, quantity, currency, discount="0"):
    """What a line of a receipt comes to, less a share of it."""
    full = EXACT.multiply(exact(unit_price), exact(quantity))
    left = EXACT.subtract(Decimal(1), exact(discount))
    return round_amount(EXACT.multiply(full, left), currency)


def tax_of(amounts, rate, currency):
    """The tax on the sum of net amounts."""
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, exact(amount))
    return round_amount(EXACT.multiply(total, exact(rate)), currency)


def split(amount, parts, currency):
    """An amount in parts that differ by one unit at most, the larger ones first."""
    if parts < 1:
        raise ValueError(f"an amount has at least one part, not {parts}")
    unit = find_currency(currency).unit
    rounded = round_amount(amount, currency)
    units = int(EXACT.divide(abs(rounded), unit))
    each, rest = divmod(units, parts)
    sign = -1 if rounded < 0 else 1
    return [EXACT.multiply(unit, Decimal(sign * (each + (i < rest)))) for i in range(parts)]


def convert(amount, rate, currency):
    """An amount of another currency in this one."""
    return round_amount(EXACT.multiply(exact(amount), exact(rate)), currency)


def _to_step(number, step, currency):
    steps = EXACT.divide(number, step).to_integral_value(rounding=ROUND_HALF_UP)
    rounded = EXACT.multiply(steps, step).quantize(find_currency(currency).unit, context=EXACT)
    # Adding zero takes the sign off a negative zero.
    return EXACT.add(rounded, Decimal(0)) if rounded else abs(rounded)
