"""The carrier's directory as a file."""

import csv
from decimal import Decimal, InvalidOperation
from pathlib import Path

from .model import SourceUnavailable, Surcharge, UnknownPostcode, Zone
from .postcode import prefixes

COLUMNS = ["prefix", "zone", "base", "per_kg", "surcharges"]


class DirectoryError(ValueError):
    """The file is not a directory."""


class DirectoryFile:
    """A source of zones that reads a file from begin to end at every question."""

    def __init__(self, path):
        self.path = Path(path)

    def fetch(self, key):
        found = self.fetch_many([key])
        if key not in found:
            raise UnknownPostcode(key)
        return found[key]

    def fetch_many(self, keys):
        rows = dict(self._rows())
        found = {}
        for key in keys:
            for prefix in prefixes(key):
                if prefix in rows:
                    found[key] = _zone(rows[prefix], prefix)
                    break
        return found

    def _rows(self):
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file)
                if reader.fieldnames != COLUMNS:
                    raise DirectoryError(f"{self.path}: the columns are not {', '.join(COLUMNS)}")
                for row in reader:
                    yield row["prefix"], row
        except OSError as error:
            raise SourceUnavailable(f"{self.path}: {error.strerror}") from error


def _zone(row, prefix):
    try:
        surcharges = []
        for part in filter(None, (row["surcharges"] or "").split(";")):
            name, _, amount = part.partition(":")
            surcharges.append(Surcharge(name, Decimal(amount)))
        return Zone(row["zone"], Decimal(row["base"]), Decimal(row["per_kg"]), surcharges)
    except (InvalidOperation, TypeError):
        raise DirectoryError(f"the row of {prefix} has a price that is none") from None
