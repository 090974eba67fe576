"""What lines and invoices come to."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation


def line_cents(quantity, price_cents, discount_percent=0):
    """The cents that a line comes to; a quantity that is no number is a ValueError."""
    try:
        count = Decimal(quantity)
    except (InvalidOperation, TypeError):
        raise ValueError(f"not a quantity: {quantity!r}") from None
    if not count.is_finite():
        raise ValueError(f"not a quantity: {quantity!r}")
    exact = count * price_cents * (100 - discount_percent) / 100
    return int(exact.to_integral_value(rounding=ROUND_HALF_UP))


def invoice_cents(connection, invoice_id):
    """The cents that an invoice comes to, by its lines."""
    rows = connection.execute(
        "SELECT quantity, price_cents, discount_percent FROM lines WHERE invoice_id = ? AND voided = 0"
        " UNION ALL "
        "SELECT quantity, price_cents, discount_percent FROM line_archive WHERE invoice_id = ? AND voided = 0",
        (invoice_id, invoice_id),
    )
    return sum(line_cents(*row) for row in rows)
