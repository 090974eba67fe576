from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from meterfeed import BadCell, MissingColumns, Reading, load_readings, monthly, parse, to_readings

SAMPLES = Path(__file__).parent / "samples"


def test_a_plain_file():
    readings = load_readings(SAMPLES / "north.csv")
    assert len(readings) == 4
    assert readings[0] == Reading("N-100", datetime(2026, 3, 1), Decimal("1200.5"))


def test_a_file_from_another_operator():
    assert load_readings(SAMPLES / "south.csv") == [
        Reading("S-7", datetime(2026, 3, 1), Decimal("1204.5")),
        Reading("S-7", datetime(2026, 3, 31), Decimal("1300")),
    ]


def test_columns_that_are_needed():
    with pytest.raises(MissingColumns) as caught:
        to_readings(parse("meter,when\n1,2\n"))
    assert caught.value.names == ("taken_at", "value")


@pytest.mark.parametrize(
    ("row", "column"),
    [("m,2026-13-01,1,", "taken_at"), ("m,2026-01-01,x,", "value"), ("m,2026-01-01,-1,", "value"), (",2026-01-01,1,", "meter"), ("m,2026-01-01,1,GWh", "unit")],
)
def test_cells_that_cannot_be_read(row, column):
    with pytest.raises(BadCell) as caught:
        to_readings(parse(f"meter,taken_at,value,unit\n{row}\n"))
    assert (caught.value.column, caught.value.line) == (column, 2)


def test_use_by_month():
    rows = monthly(load_readings(SAMPLES / "north.csv"))
    assert [(row.meter, row.month, row.used) for row in rows] == [
        ("N-100", "2026-03", Decimal("110.75")),
        ("N-101", "2026-03", Decimal("2.5")),
    ]


def test_a_meter_that_was_exchanged():
    text = "meter,taken_at,value\nm,2026-01-01,90\nm,2026-01-10,100\nm,2026-01-20,5\n"
    assert monthly(to_readings(parse(text)))[0].used == Decimal(15)


def test_no_readings_make_no_report():
    assert monthly([]) == []


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n", b"  \r\n \r\n"], ids=["nothing", "lf", "bom", "bom-crlf", "spaces"])
def test_a_file_without_anything_has_no_readings(tmp_path, data):
    path = tmp_path / "empty.csv"
    path.write_bytes(data)
    assert load_readings(path) == []
    assert load_readings(path, ";") == []


def test_an_empty_table_has_no_readings():
    assert to_readings(parse("")) == []


def test_a_header_alone_has_no_readings():
    assert to_readings(parse("meter,taken_at,value\n")) == []


@pytest.mark.parametrize("text", ["meter,when\n", "readings\n", "\nvalue\n"], ids=["two", "one", "after-blank"])
def test_a_header_alone_needs_its_columns_too(text):
    with pytest.raises(MissingColumns):
        to_readings(parse(text))
