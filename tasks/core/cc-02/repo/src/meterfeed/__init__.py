"""Meter readings from the CSV files of grid operators."""

from .csvtext import CsvError, Table, parse, read_table
from .readings import BadCell, MissingColumns, Reading, load_readings, to_readings
from .report import MonthlyUse, monthly

__all__ = [
    "BadCell",
    "CsvError",
    "MissingColumns",
    "MonthlyUse",
    "Reading",
    "Table",
    "load_readings",
    "monthly",
    "parse",
    "read_table",
    "to_readings",
]
