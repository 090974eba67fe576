"""What a lookup asks its source, and when."""

from decimal import Decimal

import pytest

from postzone import BadPostcode, SourceUnavailable, Surcharge, UnknownPostcode, Zone, ZoneLookup

KNOWN = {"M1 1AE", "M2 1AE", "M3 1AE", "M4 1AE", "M5 1AE", "B1 1AA"}


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Source:
    """Notes every question; its zones say how often it was asked about that postcode."""

    def __init__(self):
        self.asked = []
        self.calls = 0
        self.known = set(KNOWN)
        self.down = False

    def _zone(self, key):
        self.asked.append(key)
        zone = Zone(f"{key}/{self.asked.count(key)}", Decimal(4), Decimal("0.5"), [Surcharge("ferry", Decimal(2))])
        return zone if key in self.known else None

    def _begin(self):
        self.calls += 1
        if self.down:
            raise SourceUnavailable("down for the night")

    def fetch(self, key):
        self._begin()
        zone = self._zone(key)
        if zone is None:
            raise UnknownPostcode(key)
        return zone

    def fetch_many(self, keys):
        keys = list(keys)
        self._begin()
        return {key: zone for key in keys if (zone := self._zone(key)) is not None}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def lookup(source, clock):
    return ZoneLookup(source, cache_seconds=60, cache_size=3, clock=clock)


def test_the_second_question_is_not_asked(lookup, source):
    assert lookup.find("M1 1AE") == lookup.find("M1 1AE")
    assert source.asked == ["M1 1AE"]


def test_spellings_share_an_answer(lookup, source):
    assert [lookup.find(p).code for p in ("m11ae", "M1 1AE", " m1  1ae")] == ["M1 1AE/1"] * 3
    assert source.calls == 1


def test_it_caches_unless_told_otherwise(source):
    lookup = ZoneLookup(source)
    lookup.find("M1 1AE")
    lookup.find("M1 1AE")
    assert source.calls == 1


def test_answers_grow_old(lookup, source, clock):
    lookup.find("M1 1AE")
    clock.now += 59.5
    assert lookup.find("M1 1AE").code == "M1 1AE/1"
    clock.now += 0.5
    assert lookup.find("M1 1AE").code == "M1 1AE/2"


def test_use_does_not_keep_an_answer_young(lookup, source, clock):
    for _ in range(4):
        lookup.find("M1 1AE")
        clock.now += 20
    assert source.asked == ["M1 1AE"] * 2


def test_a_new_answer_lives_as_long_as_the_first(lookup, source, clock):
    lookup.find("M1 1AE")
    clock.now += 100
    lookup.find("M1 1AE")
    clock.now += 59
    assert lookup.find("M1 1AE").code == "M1 1AE/2"


def test_the_one_not_used_for_longest_goes_first(lookup, source):
    for postcode in ("M1 1AE", "M2 1AE", "M3 1AE"):
        lookup.find(postcode)
    lookup.find("M1 1AE")
    lookup.find("M4 1AE")
    source.asked.clear()
    for postcode in ("M1 1AE", "M3 1AE", "M4 1AE"):
        lookup.find(postcode)
    assert source.asked == []
    lookup.find("M2 1AE")
    assert source.asked == ["M2 1AE"]


def test_use_in_a_batch_counts_as_use(lookup, source):
    for postcode in ("M1 1AE", "M2 1AE", "M3 1AE"):
        lookup.find(postcode)
    lookup.find_many(["M1 1AE"])
    lookup.find("M4 1AE")
    source.asked.clear()
    lookup.find("M1 1AE")
    assert source.asked == []
    lookup.find("M2 1AE")
    assert source.asked == ["M2 1AE"]


def test_an_answer_is_the_callers_own(lookup, source):
    first = lookup.find("M1 1AE")
    first.surcharges.append(Surcharge("heavy", Decimal(3)))
    first.base = Decimal(99)
    second = lookup.find("M1 1AE")
    assert [s.name for s in second.surcharges] == ["ferry"]
    assert second.base == Decimal(4)
    second.surcharges.clear()
    assert [s.name for s in lookup.find("M1 1AE").surcharges] == ["ferry"]
    assert source.calls == 1


def test_answers_of_a_batch_are_the_callers_own(lookup, source):
    lookup.find_many(["M1 1AE", "M2 1AE"])["M1 1AE"].surcharges.clear()
    lookup.find_many(["M1 1AE"])["M1 1AE"].surcharges.clear()
    assert [s.name for s in lookup.find("M1 1AE").surcharges] == ["ferry"]
    assert source.asked == ["M1 1AE", "M2 1AE"]


def test_no_zone_is_an_answer_too(lookup, source, clock):
    for _ in range(2):
        with pytest.raises(UnknownPostcode) as caught:
            lookup.find("zz1 1zz")
        assert caught.value.key == "ZZ1 1ZZ"
    assert source.asked == ["ZZ1 1ZZ"]
    source.known.add("ZZ1 1ZZ")
    clock.now += 60
    assert lookup.find("ZZ1 1ZZ").code == "ZZ1 1ZZ/2"


def test_no_zone_of_a_batch_is_an_answer_too(lookup, source):
    assert list(lookup.find_many(["ZZ1 1ZZ", "M1 1AE"])) == ["M1 1AE"]
    with pytest.raises(UnknownPostcode):
        lookup.find("ZZ1 1ZZ")
    assert list(lookup.find_many(["ZZ1 1ZZ", "M1 1AE"])) == ["M1 1AE"]
    assert source.calls == 1


def test_no_zone_found_alone_is_known_to_a_batch(lookup, source):
    with pytest.raises(UnknownPostcode):
        lookup.find("ZZ1 1ZZ")
    assert lookup.find_many(["ZZ1 1ZZ"]) == {}
    assert source.calls == 1


def test_a_source_that_is_down_is_asked_again(lookup, source):
    source.down = True
    for _ in range(2):
        with pytest.raises(SourceUnavailable):
            lookup.find("M1 1AE")
        with pytest.raises(SourceUnavailable):
            lookup.find_many(["M1 1AE", "M2 1AE"])
    source.down = False
    assert lookup.find("M1 1AE").code == "M1 1AE/1"
    assert source.calls == 5


def test_what_is_known_does_not_need_the_source(lookup, source):
    lookup.find("M1 1AE")
    source.down = True
    assert lookup.find("M1 1AE").code == "M1 1AE/1"
    assert list(lookup.find_many(["M1 1AE"])) == ["M1 1AE"]


def test_a_batch_asks_once_for_what_is_missing(lookup, source):
    lookup.find("M1 1AE")
    found = lookup.find_many(["m11ae", "M2 1AE", "m2 1ae", "M3 1AE"])
    assert {postcode: zone.code for postcode, zone in found.items()} == {
        "m11ae": "M1 1AE/1",
        "M2 1AE": "M2 1AE/1",
        "m2 1ae": "M2 1AE/1",
        "M3 1AE": "M3 1AE/1",
    }
    assert source.calls == 2
    assert sorted(source.asked) == ["M1 1AE", "M2 1AE", "M3 1AE"]


def test_a_batch_of_known_ones_asks_nothing(lookup, source):
    lookup.find_many(["M1 1AE", "M2 1AE"])
    lookup.find_many(["M2 1AE", "m1 1ae"])
    lookup.find("M2 1AE")
    assert source.calls == 1


def test_a_batch_asks_again_for_old_ones(lookup, source, clock):
    lookup.find("M1 1AE")
    clock.now += 30
    lookup.find("M2 1AE")
    clock.now += 30
    found = lookup.find_many(["M1 1AE", "M2 1AE"])
    assert [found[p].code for p in ("M1 1AE", "M2 1AE")] == ["M1 1AE/2", "M2 1AE/1"]


def test_a_batch_larger_than_the_cache_is_complete(lookup, source):
    lookup.find("M1 1AE")
    postcodes = ["M2 1AE", "M3 1AE", "M4 1AE", "M5 1AE", "B1 1AA", "M1 1AE"]
    assert set(lookup.find_many(postcodes)) == set(postcodes)
    assert sorted(source.asked) == sorted(postcodes)
    assert source.calls == 2


def test_forgetting_one(lookup, source):
    lookup.find_many(["M1 1AE", "M2 1AE"])
    lookup.forget("m11ae")
    lookup.forget("B1 1AA")
    assert lookup.find("M1 1AE").code == "M1 1AE/2"
    assert lookup.find("M2 1AE").code == "M2 1AE/1"


def test_forgetting_all(lookup, source):
    lookup.find_many(["M1 1AE", "M2 1AE"])
    lookup.forget()
    assert lookup.find("M1 1AE").code == "M1 1AE/2"
    assert lookup.find("M2 1AE").code == "M2 1AE/2"


@pytest.mark.parametrize("settings", [{"cache_seconds": 0}, {"cache_size": 0}], ids=["seconds", "size"])
def test_zero_keeps_nothing(source, clock, settings):
    lookup = ZoneLookup(source, clock=clock, **settings)
    assert [lookup.find("M1 1AE").code for _ in range(2)] == ["M1 1AE/1", "M1 1AE/2"]
    assert lookup.find_many(["M1 1AE", "M2 1AE"])["M1 1AE"].code == "M1 1AE/3"
    lookup.forget("M1 1AE")


@pytest.mark.parametrize("settings", [{"cache_seconds": -1}, {"cache_size": -1}], ids=["seconds", "size"])
def test_less_than_zero_is_refused(source, settings):
    with pytest.raises(ValueError):
        ZoneLookup(source, **settings)


def test_hits_and_misses_are_counted(lookup, source, clock):
    assert (lookup.hits, lookup.misses) == (0, 0)
    lookup.find("M1 1AE")
    lookup.find("m11ae")
    assert (lookup.hits, lookup.misses) == (1, 1)
    lookup.find_many(["M1 1AE", "m11ae", "M2 1AE"])
    assert (lookup.hits, lookup.misses) == (2, 2)
    for _ in range(2):
        with pytest.raises(UnknownPostcode):
            lookup.find("ZZ1 1ZZ")
    assert (lookup.hits, lookup.misses) == (3, 3)
    with pytest.raises(BadPostcode):
        lookup.find("nowhere")
    clock.now += 60
    lookup.find("M1 1AE")
    assert (lookup.hits, lookup.misses) == (3, 4)


def test_lookups_do_not_share_answers(source, clock):
    one, other = (ZoneLookup(source, clock=clock) for _ in range(2))
    one.find("M1 1AE")
    assert other.find("M1 1AE").code == "M1 1AE/2"
