"""The command `meterfeed`."""

import argparse
import sys

from .csvtext import CsvError
from .readings import load_readings
from .report import monthly, render


def main(argv=None):
    parser = argparse.ArgumentParser(prog="meterfeed", description="Meter readings from the CSV files of grid operators.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in [("check", _check, "how many readings are in each file"), ("report", _report, "use by meter and month")]:
        command = commands.add_parser(name, help=text)
        command.add_argument("files", nargs="+", metavar="FILE")
        command.add_argument("--delimiter")
        command.set_defaults(run=run)
    arguments = parser.parse_args(argv)
    return arguments.run(arguments)


def _check(arguments):
    failed = False
    for path, readings in _load(arguments):
        if readings is None:
            failed = True
        else:
            print(f"{path}: {len(readings)} readings")
    return int(failed)


def _report(arguments):
    failed = False
    everything = []
    for _, readings in _load(arguments):
        if readings is None:
            failed = True
        else:
            everything.extend(readings)
    print(render(monthly(everything)))
    return int(failed)


def _load(arguments):
    for path in arguments.files:
        try:
            yield path, load_readings(path, arguments.delimiter)
        except (CsvError, OSError) as error:
            print(f"meterfeed: {path}: {error}", file=sys.stderr)
            yield path, None


if __name__ == "__main__":
    sys.exit(main())
