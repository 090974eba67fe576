"""The command `postzone`."""

import argparse
import csv
import sys

from .directory import DirectoryError, DirectoryFile
from .lookup import ZoneLookup
from .model import Parcel, SourceUnavailable
from .postcode import BadPostcode
from .quote import quote_many


def main(argv=None):
    parser = argparse.ArgumentParser(prog="postzone", description="Delivery zones of postcodes.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    zone = commands.add_parser("zone", help="the zones of postcodes")
    zone.add_argument("directory")
    zone.add_argument("postcodes", nargs="+")
    zone.set_defaults(run=_zone)
    quotes = commands.add_parser("quote", help="the prices of the parcels in a file")
    quotes.add_argument("directory")
    quotes.add_argument("parcels")
    quotes.set_defaults(run=_quote)
    arguments = parser.parse_args(argv)
    try:
        arguments.run(arguments, ZoneLookup(DirectoryFile(arguments.directory)))
        return 0
    except (BadPostcode, DirectoryError, SourceUnavailable) as error:
        print(f"postzone: {error}", file=sys.stderr)
        return 2


def _zone(arguments, lookup):
    zones = lookup.find_many(arguments.postcodes)
    for postcode in arguments.postcodes:
        print(f"{postcode}: {zones[postcode].code if postcode in zones else 'no zone'}")


def _quote(arguments, lookup):
    with open(arguments.parcels, encoding="utf-8", newline="") as file:
        parcels = [Parcel(r["postcode"], r["kg"], r.get("bulky") == "yes") for r in csv.DictReader(file)]
    for parcel, found in zip(parcels, quote_many(lookup, parcels)):
        print(f"{parcel.postcode}: {found.total if found else 'no zone'}")


if __name__ == "__main__":
    sys.exit(main())
