"""The command `billbook`."""

import argparse
import csv
import sys

from .database import connect
from .importer import import_lines
from .migrate import MigrationError, current_version, latest_version, migrate
from .models import NoSuchInvoice
from .store import Store


def main(argv=None):
    parser = argparse.ArgumentParser(prog="billbook", description="Invoices of a small workshop.")
    parser.add_argument("database")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("migrate", help="bring the database to a version")
    command.add_argument("--to", type=int)
    command.set_defaults(run=_migrate)
    command = commands.add_parser("list", help="invoices and what they come to")
    command.add_argument("--status")
    command.set_defaults(run=_list)
    command = commands.add_parser("import", help="lines from a CSV file")
    command.add_argument("file")
    command.set_defaults(run=_import)
    arguments = parser.parse_args(argv)
    connection = connect(arguments.database)
    try:
        if arguments.run is not _migrate and current_version(connection) != latest_version():
            print("billbook: the database has another version; run migrate", file=sys.stderr)
            return 2
        arguments.run(connection, arguments)
        return 0
    except (MigrationError, NoSuchInvoice, ValueError) as error:
        print(f"billbook: {error}", file=sys.stderr)
        return 2
    finally:
        connection.close()


def _migrate(connection, arguments):
    for version in migrate(connection, arguments.to):
        print(f"ran {version:04}")
    print(f"at version {current_version(connection)}")


def _list(connection, arguments):
    for row in Store(connection).list_invoices(status=arguments.status):
        print(f"{row.number:<12} {row.customer:<24} {row.status:<7} {row.total_cents / 100:>10.2f}")


def _import(connection, arguments):
    with open(arguments.file, encoding="utf-8", newline="") as file:
        print(f"{import_lines(connection, csv.DictReader(file))} lines")


if __name__ == "__main__":
    sys.exit(main())
