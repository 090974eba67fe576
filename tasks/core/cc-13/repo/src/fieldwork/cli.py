"""The command `fieldwork`."""

import argparse
import sys
from pathlib import Path

from .board import Board
from .intake import Intake, Rejected
from .schedule import clashes
from .store import Store


def main(argv=None):
    parser = argparse.ArgumentParser(prog="fieldwork", description="Work orders from partners.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="whether work orders would be taken")
    check.set_defaults(run=_check)
    day = commands.add_parser("day", help="what the board would show")
    day.set_defaults(run=_day)
    for command in (check, day):
        command.add_argument("technicians", help="separated by commas")
    day.add_argument("day")
    for command in (check, day):
        command.add_argument("files", nargs="+")
    arguments = parser.parse_args(argv)
    store = Store()
    intake = Intake(store, arguments.technicians.split(","))
    rejected = 0
    for file in arguments.files:
        try:
            intake.receive(Path(file).read_text(encoding="utf-8"))
        except Rejected as error:
            rejected += 1
            print(f"{file}: {error}", file=sys.stderr)
    arguments.run(arguments, store)
    return 1 if rejected else 0


def _check(arguments, store):
    print(f"{len(store)} of {len(arguments.files)} orders are good")
    for (order, at), (other, other_at) in clashes(store):
        print(f"visit {at} of {order} clashes with visit {other_at} of {other}")


def _day(arguments, store):
    print(Board(store, "http://localhost").day(arguments.day))


if __name__ == "__main__":
    sys.exit(main())
