"""What of the README's table is taken, and what is not."""

import copy
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from fieldwork import Intake, Rejected, Store

EXAMPLE = json.loads((Path(__file__).parent.parent.parent / "examples" / "order.json").read_text(encoding="utf-8"))


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def intake(store):
    return Intake(store, ["t-07", "t-11"])


def changed(*path, value):
    """The example with another value somewhere."""
    document = copy.deepcopy(EXAMPLE)
    at = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return document


def places(errors, path=()):
    """Where errors are."""
    if isinstance(errors, dict):
        return sorted(place for key, inner in errors.items() for place in places(inner, (*path, key)))
    return [path]


def ids(cases):
    """The place and, where there are several cases of it, their number."""
    names = [".".join(map(str, path)) for path, _ in cases]
    return [f"{name}-{names[: at + 1].count(name)}" for at, name in enumerate(names)]


BAD = [
    (("orderNumber",), "20418"),
    (("orderNumber",), "WO-12"),
    (("orderNumber",), ""),
    (("orderNumber",), 20418),
    (("createdAt",), "2026-03-02"),
    (("createdAt",), "yesterday"),
    (("createdAt",), ""),
    (("priority",), 0),
    (("priority",), 6),
    (("priority",), "high"),
    (("priority",), 2.5),
    (("customer", "name"), "  "),
    (("customer", "phone"), "12 34"),
    (("customer", "phone"), "ask for Ann"),
    (("customer", "phone"), None),
    (("customer", "fax"), "1"),
    (("skills", 0), "magic"),
    (("skills", 1), "Gas"),
    (("visits",), []),
    (("visits", 0, "begin"), "2026-03-03"),
    (("visits", 0, "begin"), "09:00"),
    (("visits", 1, "length"), 4),
    (("visits", 1, "length"), 4.9),
    (("visits", 1, "length"), 601),
    (("visits", 1, "length"), -45),
    (("visits", 1, "length"), "long"),
    (("visits", 0, "technician"), "t-99"),
    (("visits", 0, "technician"), ""),
    (("visits", 0, "van"), "v-1"),
    (("colour",), "red"),
]


@pytest.mark.parametrize(("path", "value"), BAD, ids=ids(BAD))
def test_what_is_refused(intake, store, path, value):
    with pytest.raises(Rejected) as caught:
        intake.receive(changed(*path, value=value))
    assert places(caught.value.errors) == [path]
    assert len(store) == 0


GOOD = [
    (("orderNumber",), "WO-1234"),
    (("orderNumber",), "WO-12345678"),
    (("createdAt",), "2026-03-02 08:15:30"),
    (("priority",), 1),
    (("priority",), 5),
    (("customer", "phone"), "020794"),
    (("customer", "street"), None),
    (("skills",), []),
    (("skills",), ["heights", "electric"]),
    (("visits", 0, "begin"), "2026-03-03 09:00"),
    (("visits", 0, "length"), 5),
    (("visits", 0, "length"), 600),
    (("visits", 0, "length"), 600.5),
    (("visits", 0, "technician"), "t-11"),
    (("reference",), None),
    (("notes",), "the bell is broken"),
]


@pytest.mark.parametrize(("path", "value"), GOOD, ids=ids(GOOD))
def test_what_is_taken(intake, store, path, value):
    order = intake.receive(changed(*path, value=value))
    assert store.get(order.number) == order


@pytest.mark.parametrize("name", ["orderNumber", "createdAt", "customer", "visits"])
def test_what_is_needed(intake, name):
    document = {key: value for key, value in EXAMPLE.items() if key != name}
    with pytest.raises(Rejected) as caught:
        intake.receive(document)
    assert places(caught.value.errors) == [(name,)]


def test_what_is_not_needed(intake):
    optional = ("priority", "skills", "reference", "notes")
    order = intake.receive({key: value for key, value in EXAMPLE.items() if key not in optional})
    assert (order.priority, order.skills, order.reference, order.notes) == (3, (), None, None)


def test_values(intake):
    order = intake.receive(EXAMPLE)
    assert order.created_at == datetime(2026, 3, 2, 8, 15)
    assert order.customer.street == "4 Low Water Row"
    assert [(v.begin, v.length, v.technician) for v in order.visits] == [
        (datetime(2026, 3, 3, 9), timedelta(minutes=45), "t-07"),
        (datetime(2026, 3, 5, 13, 30), timedelta(minutes=120), "t-11"),
    ]


@pytest.mark.parametrize("length", [45, 45.5, 45.99])
def test_parts_of_a_minute_do_not_count(intake, length):
    order = intake.receive(changed("visits", 0, "length", value=length))
    assert order.visits[0].length == timedelta(minutes=45)


def test_all_errors_are_reported_together(intake, store):
    document = changed("orderNumber", value="x")
    document["customer"]["phone"] = "none"
    document["skills"].append("magic")
    document["visits"][0]["length"] = 1
    document["visits"][1]["technician"] = "t-99"
    document["visits"][1]["begin"] = "2026-03-03"
    with pytest.raises(Rejected) as caught:
        intake.receive(document)
    assert places(caught.value.errors) == sorted(
        [("orderNumber",), ("customer", "phone"), ("skills", 2), ("visits", 0, "length"), ("visits", 1, "begin"), ("visits", 1, "technician")],
    )
    assert len(store) == 0


def test_an_order_is_taken_once(intake, store):
    intake.receive(EXAMPLE)
    with pytest.raises(Rejected) as caught:
        intake.receive(EXAMPLE)
    assert places(caught.value.errors) == [("orderNumber",)]
    assert len(store) == 1


@pytest.mark.parametrize("text", ["{", "", "[]", "null", '"WO-1"'], ids=["half", "nothing", "list", "null", "text"])
def test_what_is_no_object(intake, text):
    with pytest.raises(Rejected):
        intake.receive(text)
