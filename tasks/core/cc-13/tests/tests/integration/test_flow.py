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


def test_the_board_of_the_readme():
    store = Store()
    Intake(store, {"t-07", "t-11"}).receive(EXAMPLE.read_text(encoding="utf-8"))
    text = Board(store, "https://depot.example").day("2026-03-03")
    assert json.loads(text) == {
        "day": "2026-03-03",
        "visits": [
            {
                "order": "WO-20418",
                "visit": 1,
                "technician": "t-07",
                "begin": "2026-03-03T09:00:00",
                "length": 45,
                "customer": "Hale Bakery",
                "link": "https://depot.example/orders/WO-20418/visits/1",
                "reference": "PO 7731",
                "notes": None,
            }
        ],
    }


def test_lengths_on_the_board_have_no_decimal_point():
    store = Store()
    Intake(store, {"t-07", "t-11"}).receive(EXAMPLE.read_text(encoding="utf-8"))
    [visit] = json.loads(Board(store, "https://depot.example").day("2026-03-05"), parse_float=lambda text: pytest.fail(text))["visits"]
    assert visit["length"] == 120 and isinstance(visit["length"], int)


def test_boards_and_intakes_do_not_share_settings():
    text = EXAMPLE.read_text(encoding="utf-8")
    ours, theirs = Store(), Store()
    our_intake, their_intake = Intake(ours, {"t-07", "t-11"}), Intake(theirs, {"t-99"})
    our_board, their_board = Board(ours, "https://one.example"), Board(ours, "https://two.example")
    our_intake.receive(text)
    with pytest.raises(Rejected):
        their_intake.receive(text)
    assert "https://one.example/orders/WO-20418/visits/1" in our_board.day("2026-03-03")
    assert "https://two.example/orders/WO-20418/visits/1" in their_board.day("2026-03-03")
    assert "https://one.example/orders/WO-20418/visits/1" in our_board.day("2026-03-03")


def test_a_command_names_what_is_wrong(tmp_path, capsys):
    bad = tmp_path / "bad.json"
    bad.write_text(EXAMPLE.read_text(encoding="utf-8").replace("WO-20418", "20418"), encoding="utf-8")
    assert main(["check", "t-07,t-11", str(bad), str(EXAMPLE)]) == 1
    out, err = capsys.readouterr()
    assert out == "1 of 2 orders are good\n"
    assert "orderNumber" in err


def test_the_board_by_command(capsys):
    assert main(["day", "t-07,t-11", "2026-03-05", str(EXAMPLE)]) == 0
    [visit] = json.loads(capsys.readouterr().out)["visits"]
    assert (visit["visit"], visit["length"], visit["link"]) == (2, 120, "http://localhost/orders/WO-20418/visits/2")
