"""From a table to readings."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from .csvtext import CsvError, read_table

REQUIRED = ("meter", "taken_at", "value")
TIMES = ("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%d.%m.%Y %H:%M", "%d.%m.%Y")
UNITS = {"": Decimal(1), "kwh": Decimal(1), "mwh": Decimal(1000)}


class MissingColumns(CsvError):
    """A table lacks columns that are needed."""

    def __init__(self, names):
        super().__init__(f"missing columns: {', '.join(names)}")
        self.names = tuple(names)


class BadCell(CsvError):
    """A cell that cannot be read."""

    def __init__(self, column, text, line):
        super().__init__(f"cannot read {column} {text!r}", line)
        self.column = column


@dataclass(frozen=True)
class Reading:
    """What a meter showed at a time, in kWh."""

    meter: str
    taken_at: datetime
    value: Decimal


def load_readings(path, delimiter=None):
    """All readings in a file, in its order."""
    return to_readings(read_table(path, delimiter))


def to_readings(table):
    """All readings in a table, in its order."""
    names = {column.lower(): column for column in table.columns}
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise MissingColumns(missing)
    return [_reading(row, names, line) for row, line in zip(table.rows, table.lines)]


def _reading(row, names, line):
    meter = row[names["meter"]].strip()
    if not meter:
        raise BadCell("meter", meter, line)
    unit = row[names["unit"]].strip().lower() if "unit" in names else ""
    if unit not in UNITS:
        raise BadCell("unit", unit, line)
    return Reading(
        meter=meter,
        taken_at=_time(row[names["taken_at"]].strip(), line),
        value=_number(row[names["value"]].strip(), line) * UNITS[unit],
    )


def _time(text, line):
    for form in TIMES:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise BadCell("taken_at", text, line)


def _number(text, line):
    plain = text.replace(" ", "").replace("\u00a0", "")
    if "," in plain:
        # A decimal comma; points before it group digits.
        plain = plain.replace(".", "").replace(",", ".")
    try:
        value = Decimal(plain)
    except InvalidOperation:
        raise BadCell("value", text, line) from None
    if not value.is_finite() or value < 0:
        raise BadCell("value", text, line)
    return value
