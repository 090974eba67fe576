from datetime import date, datetime, timedelta

import pytest

from fieldwork import AlreadyStored, Customer, Store, Visit, WorkOrder
from fieldwork.schedule import clashes, visits_on


def order(number, name="Hale Bakery", phone="020 7946", priority=3, begin=9, technician="t-07"):
    visit = Visit(datetime(2026, 3, 3, begin), timedelta(minutes=90), technician)
    return WorkOrder(number, datetime(2026, 3, 2), Customer(name, phone), (visit,), priority)


@pytest.fixture
def store():
    store = Store()
    store.put(order("WO-1001"))
    store.put(order("WO-1002", name="Weber & Weber", phone="+44 1632 960", priority=1, begin=10))
    store.put(order("WO-1003", name="Weber Clocks", begin=8, technician="t-11"))
    return store


def numbers(orders):
    return [o.number for o in orders]


def test_a_number_is_taken_once(store):
    with pytest.raises(AlreadyStored):
        store.put(order("WO-1001"))
    assert len(store) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("WO-1002", ["WO-1002"]),
        ("WO-9999", []),
        ("0207946", ["WO-1001", "WO-1003"]),
        ("weber", ["WO-1002", "WO-1003"]),
        ("WO-1", []),
        ("12", []),
        ("  ", []),
    ],
)
def test_finding(store, text, found):
    assert numbers(store.find(text)) == found


def test_visits_of_a_day(store):
    rows = visits_on(store, date(2026, 3, 3))
    assert [o.number for o, _, _ in rows] == ["WO-1003", "WO-1001", "WO-1002"]
    assert visits_on(store, date(2026, 3, 4)) == []


def test_clashes(store):
    assert clashes(store) == [(("WO-1001", 1), ("WO-1002", 1))]
