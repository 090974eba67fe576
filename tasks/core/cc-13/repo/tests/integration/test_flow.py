"""From the document of a partner to the board."""

import json
from pathlib import Path

import pytest

from fieldwork import Board, Intake, Rejected, Store
from fieldwork.cli import main

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "order.json"


def test_from_partner_to_board():
    store = Store()
    order = Intake(store, {"t-07", "t-11"}).receive(EXAMPLE.read_text(encoding="utf-8"))
    assert (order.number, order.priority, order.skills, len(order.visits)) == ("WO-20418", 2, ("gas", "water"), 2)
    board = json.loads(Board(store, "https://depot.example/").day("2026-03-03"))
    assert board["day"] == "2026-03-03"
    [visit] = board["visits"]
    assert visit["begin"] == "2026-03-03T09:00:00"
    assert visit["link"] == "https://depot.example/orders/WO-20418/visits/1"


def test_technicians_must_be_ours():
    store = Store()
    with pytest.raises(Rejected) as caught:
        Intake(store, {"t-07"}).receive(EXAMPLE.read_text(encoding="utf-8"))
    assert list(caught.value.errors) == ["visits"]
    assert list(caught.value.errors["visits"]) == [1]
    assert len(store) == 0


def test_commands(capsys):
    assert main(["check", "t-07,t-11", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out == "1 of 1 orders are good\n"
