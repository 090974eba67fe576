from decimal import Decimal
from pathlib import Path

import pytest

from postzone import DirectoryFile, Parcel, ZoneLookup, quote
from postzone.cli import main
from postzone.quote import quote_many

DIRECTORY = Path(__file__).parent.parent / "data" / "directory.csv"


@pytest.fixture
def lookup():
    return ZoneLookup(DirectoryFile(DIRECTORY))


def test_a_parcel(lookup):
    found = quote(lookup, Parcel("M1 1AE", "2"))
    assert (found.zone, found.total, found.surcharges) == ("M1", Decimal("5.40"), ())


def test_surcharges_of_the_zone_and_of_the_parcel(lookup):
    found = quote(lookup, Parcel("AB10 1XG", "23.5", bulky=True))
    assert [s.name for s in found.surcharges] == ["remote", "heavy", "bulky"]
    assert found.total == Decimal("28.18")


def test_many_parcels(lookup):
    found = quote_many(lookup, [Parcel("M1 1AE", "2"), Parcel("ZZ1 1ZZ", "2"), Parcel("bt1 1aa", "1")])
    assert [q and q.total for q in found] == [Decimal("5.40"), None, Decimal("15.00")]


def test_a_parcel_weighs_something():
    with pytest.raises(ValueError):
        Parcel("M1 1AE", "0")


def test_commands(tmp_path, capsys):
    assert main(["zone", str(DIRECTORY), "m11ae", "ZZ1 1ZZ"]) == 0
    assert capsys.readouterr().out == "m11ae: M1\nZZ1 1ZZ: no zone\n"
    parcels = tmp_path / "parcels.csv"
    parcels.write_text("postcode,kg,bulky\nM1 1AE,2,no\nM1 1AE,2,yes\n")
    assert main(["quote", str(DIRECTORY), str(parcels)]) == 0
    assert capsys.readouterr().out == "M1 1AE: 5.40\nM1 1AE: 10.40\n"
    assert main(["zone", str(DIRECTORY), "nowhere"]) == 2
