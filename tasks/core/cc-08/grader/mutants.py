"""Rounding faults and their twins: what each replaces in the right code, and by what."""

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

TO_STEP = [(TIES, "quantize(Decimal(1), rounding=ROUND_HALF_UP, context=EXACT)")]
IN_CASH = [(CASH, CASH.replace("found.cash_step or found.unit", "found.unit if not found.cash_step else found.cash_step"))]
IN_SPLIT = [(REST, "(each + (1 if i < rest else 0))")]

# The function that each fault is in, in other words that do the same: who only sees that a function was changed, and not
# what it does, takes the twin for the fault or the fault for the twin.
TWINS = {
    "ties_go_to_even": TO_STEP,
    "cut_off": TO_STEP,
    "ties_below_zero_go_up": TO_STEP,
    "always_two_decimals": [
        (
            "    return _to_step(exact(amount), find_currency(currency).unit, currency)\n",
            "    found = find_currency(currency)\n    return _to_step(exact(amount), found.unit, currency)\n",
        )
    ],
    "by_float": TO_STEP,
    "negative_zero": [(SIGN_OF_ZERO, "    return abs(rounded) if rounded == 0 else EXACT.add(Decimal(0), rounded)\n")],
    "cash_rounds_twice": IN_CASH,
    "cash_steps_everywhere": IN_CASH,
    "line_rounds_the_price": [
        ("round_amount(EXACT.multiply(full, left), currency)", "round_amount(EXACT.multiply(left, full), currency)")
    ],
    "tax_of_each": [
        (
            "    return round_amount(EXACT.multiply(total, exact(rate)), currency)\n",
            "    tax = EXACT.multiply(exact(rate), total)\n    return round_amount(tax, currency)\n",
        )
    ],
    "split_loses_the_rest": IN_SPLIT,
    "split_gives_the_rest_last": IN_SPLIT,
    "convert_rounds_first": [
        (
            "    return round_amount(EXACT.multiply(exact(amount), exact(rate)), currency)\n\n\ndef _to_step",
            "    number = exact(amount)\n    return round_amount(EXACT.multiply(number, exact(rate)), currency)\n\n\ndef _to_step",
        )
    ],
}


def mutated(text, name):
    """The right code with a fault in it."""
    return changed(text, name, MUTANTS[name])


def twin(text, name):
    """The right code, changed where the fault is and without it."""
    return changed(text, name, TWINS[name])


def changed(text, name, changes):
    """Code with parts of it replaced, each of which it has once."""
    for old, new in changes:
        if text.count(old) != 1:
            raise SystemExit(f"{name}: the right code has {old!r} {text.count(old)} times")
        text = text.replace(old, new)
    return text
