from decimal import Decimal
from pathlib import Path

import pytest

from postzone import BadPostcode, DirectoryError, DirectoryFile, SourceUnavailable, UnknownPostcode, ZoneLookup, normalise

DIRECTORY = Path(__file__).parent.parent / "data" / "directory.csv"


@pytest.fixture
def lookup():
    return ZoneLookup(DirectoryFile(DIRECTORY))


@pytest.mark.parametrize("text", ["sw1a1aa", "SW1A 1AA", " Sw1A  1aa "])
def test_postcodes_as_people_write_them(text):
    assert normalise(text) == "SW1A 1AA"


@pytest.mark.parametrize("text", ["", "SW1A", "12345", "SW1A 1A"])
def test_what_is_no_postcode(lookup, text):
    with pytest.raises(BadPostcode):
        lookup.find(text)


def test_the_longest_prefix_decides(lookup):
    codes = [lookup.find(p).code for p in ("SW1A 1AA", "SW2 5AB", "AB10 1XG", "AB12 3CD", "M1 1AE")]
    assert codes == ["L2", "L1", "N2", "N1", "M1"]


def test_a_postcode_without_a_zone(lookup):
    with pytest.raises(UnknownPostcode) as caught:
        lookup.find("zz1 1zz")
    assert caught.value.key == "ZZ1 1ZZ"


def test_many_at_once(lookup):
    found = lookup.find_many(["sw1a1aa", "SW1A 1AA", "ZZ1 1ZZ", "hs1 2aa"])
    assert {postcode: zone.code for postcode, zone in found.items()} == {"sw1a1aa": "L2", "SW1A 1AA": "L2", "hs1 2aa": "I2"}
    assert lookup.find_many([]) == {}


def test_prices_of_a_zone(lookup):
    zone = lookup.find("HS1 2AA")
    assert (zone.base, zone.per_kg) == (Decimal("11.40"), Decimal("0.75"))
    assert [s.name for s in zone.surcharges] == ["ferry", "remote"]


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(SourceUnavailable):
        ZoneLookup(DirectoryFile(tmp_path / "none.csv")).find("M1 1AE")


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "prefix,zone,base,per_kg,surcharges\nM,M1,x,0.3,\n"])
def test_a_file_that_is_no_directory(tmp_path, text):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DirectoryError):
        ZoneLookup(DirectoryFile(path)).find("M1 1AE")
