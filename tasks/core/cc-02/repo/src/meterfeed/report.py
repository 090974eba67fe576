"""Adding readings up."""

from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, pairwise


@dataclass(frozen=True)
class MonthlyUse:
    """What went through a meter in a month: between its first and its last reading of that month."""

    meter: str
    month: str
    used: Decimal
    readings: int


def monthly(readings):
    """Use by meter and month, in that order. A meter that was exchanged starts again from zero."""
    ordered = sorted(readings, key=lambda r: (r.meter, r.taken_at))
    rows = []
    for (meter, month), group in groupby(ordered, key=lambda r: (r.meter, r.taken_at.strftime("%Y-%m"))):
        values = [r.value for r in group]
        used = sum((_step(before, after) for before, after in pairwise(values)), Decimal(0))
        rows.append(MonthlyUse(meter, month, used, len(values)))
    return rows


def _step(before, after):
    return after - before if after >= before else after


def render(rows):
    """A table for a terminal."""
    if not rows:
        return "no readings"
    width = max(len(row.meter) for row in rows)
    return "\n".join(f"{row.meter:<{width}}  {row.month}  {row.used:>12.3f} kWh" for row in rows)
