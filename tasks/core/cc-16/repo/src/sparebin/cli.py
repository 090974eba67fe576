"""The command `sparebin`, for the counter."""

import argparse
import csv
import sys

from .database import add_part, connect
from .model import Part, SearchQuery
from .search import count, search


def main(argv=None):
    parser = argparse.ArgumentParser(prog="sparebin", description="Stock of spare parts.")
    parser.add_argument("database")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    load = commands.add_parser("load", help="add the parts of a CSV file")
    load.add_argument("file")
    load.set_defaults(run=_load)
    find = commands.add_parser("find", help="look for parts")
    find.add_argument("term", nargs="*")
    find.add_argument("--category", action="append", default=[])
    find.add_argument("--sort", default="name")
    find.set_defaults(run=_find)
    arguments = parser.parse_args(argv)
    connection = connect(arguments.database)
    try:
        arguments.run(connection, arguments)
        return 0
    except ValueError as error:
        print(f"sparebin: {error}", file=sys.stderr)
        return 2
    finally:
        connection.close()


def _load(connection, arguments):
    with open(arguments.file, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cost = row.pop("cost", None)
            part = Part(**{**row, "price": int(row["price"]), "stock": int(row["stock"])})
            add_part(connection, part, int(cost) if cost else None)


def _find(connection, arguments):
    query = SearchQuery(term=" ".join(arguments.term), categories=arguments.category, sort=arguments.sort)
    for part in search(connection, query):
        print(f"{part.number:<10} {part.name:<30} {part.price / 100:>9.2f} {part.stock:>5}")
    print(f"{count(connection, query)} parts")


if __name__ == "__main__":
    sys.exit(main())
