"""Measures the programs and writes the figures; called by scripts/bench, which brings what it needs."""

import argparse
import os
import shutil
import sys
import tempfile

import cases
import report
import runs
import scoring

PARTS = ("reading", "building", "scale", "bundled", "pages", "scoring", "runs", "memory")


def scratch_folder():
    """A folder on tmpfs: figures on these machines' disks differ by a factor of twenty from one minute to the next."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    if place is None:
        print("warning: no /dev/shm here; the figures are of a disk and mean little", file=sys.stderr)
    return tempfile.mkdtemp(prefix="tsbench-bench-", dir=place)


def figures_of(bench, part):
    if part == "scoring":
        return [scoring.one_scoring(bench), scoring.gates(bench)] if scoring.is_possible() else []
    if part == "runs":
        return [runs.in_docker(bench)] if scoring.is_possible() else []
    return [runs.memory(bench) if part == "memory" else getattr(bench, part)()]


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures the programs against kept tools.")
    parser.add_argument("--quick", action="store_true", help="two runs on a tenth of the data; writes no file unless --out is given")
    parser.add_argument("--runs", type=int, help="runs of each thing (default 5, with --quick 2)")
    parser.add_argument("--only", help=f"some of {','.join(PARTS)}; these parts of the file are replaced, the others stay")
    parser.add_argument("--out", help="file to write (default BENCH.md)")
    options = parser.parse_args()
    parts = options.only.split(",") if options.only else list(PARTS)
    strange = [part for part in parts if part not in PARTS]
    if strange:
        parser.error(f"unknown part {strange[0]!r}: one of {', '.join(PARTS)}")
    if options.runs is not None and options.runs < 1:
        parser.error("--runs must be at least 1")

    scratch = scratch_folder()
    try:
        bench = cases.Bench(root, scratch, options.runs or (2 if options.quick else 5), 10 if options.quick else 1)
        figures = [(part, made) for part in parts if (made := figures_of(bench, part))]
        text = report.page(bench, figures, quick=options.quick)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    page = os.path.join(root, "BENCH.md")
    out = options.out or (None if options.quick else page)
    if options.only and out == page and os.path.exists(page):
        with open(page, encoding="utf-8") as file:
            text = report.updated(file.read(), text, PARTS)
    if out is None:
        print(text)
    else:
        with open(out, "w", encoding="utf-8") as file:
            file.write(text)
        print(out)


if __name__ == "__main__":
    main()
