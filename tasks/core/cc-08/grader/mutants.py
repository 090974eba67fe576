"""Rounding faults: what each replaces in the right code, and by what."""

TIES = "to_integral_value(rounding=ROUND_HALF_UP)"
AT_STEPS = "    steps = EXACT.divide(number, step)." + TIES + "\n"
CASH = "    return _to_step(exact(amount), found.cash_step or found.unit, currency)\n"
REST = "(each + (i < rest))"
SIGN_OF_ZERO = "    return EXACT.add(rounded, Decimal(0)) if rounded else abs(rounded)\n"

MUTANTS = {
    # A tie goes to the even neighbour, as decimals do by themselves.
    "ties_go_to_even": [(TIES, 'to_integral_value(rounding="ROUND_HALF_EVEN")')],
    # What is beyond the last decimal is cut off.
    "cut_off": [(TIES, 'to_integral_value(rounding="ROUND_DOWN")')],
    # A half is added and the rest cut off towards minus infinity: right above zero, wrong for ties below it.
    "ties_below_zero_go_up": [
        (AT_STEPS, '    steps = (EXACT.divide(number, step) + Decimal("0.5")).to_integral_value(rounding="ROUND_FLOOR")\n')
    ],
    # Every currency has two decimals.
    "always_two_decimals": [
        (
            "    return _to_step(exact(amount), find_currency(currency).unit, currency)\n",
            '    return _to_step(exact(amount), Decimal("0.01"), "EUR")\n',
        )
    ],
    # By way of a binary float.
    "by_float": [
        (
            AT_STEPS,
            "    steps = EXACT.divide(Decimal(float(number)), step)." + TIES + "\n",
        )
    ],
    # A small amount below zero keeps its sign.
    "negative_zero": [(SIGN_OF_ZERO, "    return rounded\n")],
    # Cash is rounded from what is in the books.
    "cash_rounds_twice": [
        (CASH, "    return _to_step(round_amount(amount, currency), found.cash_step or found.unit, currency)\n")
    ],
    # Cash goes by steps of five everywhere.
    "cash_steps_everywhere": [(CASH, CASH.replace("found.unit,", "5 * found.unit,"))],
    # The price after discount is rounded before it is multiplied.
    "line_rounds_the_price": [
        (
            "    return round_amount(EXACT.multiply(full, left), currency)\n",
            "    price = round_amount(EXACT.multiply(exact(unit_price), left), currency)\n"
            "    return round_amount(EXACT.multiply(price, exact(quantity)), currency)\n",
        )
    ],
    # The tax on every amount is rounded.
    "tax_of_each": [
        (
            "        total = EXACT.add(total, exact(amount))\n"
            "    return round_amount(EXACT.multiply(total, exact(rate)), currency)\n",
            "        total = EXACT.add(total, round_amount(EXACT.multiply(exact(amount), exact(rate)), currency))\n"
            "    return round_amount(total, currency)\n",
        )
    ],
    # Parts are rounded by themselves, and do not add up.
    "split_loses_the_rest": [(REST, "each")],
    # The last parts take the rest.
    "split_gives_the_rest_last": [(REST, "(each + (i >= parts - rest))")],
    # An amount is rounded to the decimals of the target before it is multiplied.
    "convert_rounds_first": [
        (
            "    return round_amount(EXACT.multiply(exact(amount), exact(rate)), currency)\n\n\ndef _to_step",
            "    return round_amount(EXACT.multiply(round_amount(amount, currency), exact(rate)), currency)\n\n\ndef _to_step",
        )
    ],
}


def mutated(text, name):
    """The right code with a fault in it."""
    for old, new in MUTANTS[name]:
        if text.count(old) != 1:
            raise SystemExit(f"{name}: the right code has {old!r} {text.count(old)} times")
        text = text.replace(old, new)
    return text
