"""BENCH.md from measured figures: one part after another, each with its day and its commit."""

import datetime
import re
import subprocess

import machine


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def table(figure):
    lines = ["| | median | fastest to slowest | processor | peak memory | |", "|---|--:|--:|--:|--:|---|"]
    for series, note in figure.rows:
        low, high = series.spread()
        memory = f"{series.rss() / 1e6:.0f} MB" if series.rss() else "–"
        lines.append(f"| {series.name} | {seconds(series.median())} | {seconds(low)} to {seconds(high)} | {seconds(series.cpu())} | {memory} | {note} |")
    return lines


def claims(figure):
    lines = ["", "| claim | measured | wanted | |", "|---|--:|--:|---|"]
    for claim in figure.claims:
        bound = "–" if claim.bound is None else f"{'at least' if claim.least else 'at most'} {claim.bound:g}{claim.unit}"
        verdict = "" if claim.bound is None else "met" if claim.met() else "**not met**"
        lines.append(f"| {claim.words} | {claim.value:.2f}{claim.unit} | {bound} | {verdict} |")
    return lines


def page(bench, figures, quick):
    lines = [
        "# Benchmarks", "",
        "Written by `scripts/bench`, not by hand. Absolute times are of one machine on one day; the ratios are of things run",
        "in turn in the same minutes, so they carry further. Each thing is run once to warm up and then "
        f"{bench.runs} times or more; medians are compared.",
        "The floor is the bare reading or writing of the same bytes on the same file system, by a loop that does nothing else.",
        "",
    ]
    if quick:
        lines += ["**A quick run on a tenth of the data: good for seeing that it works, not for quoting.**", ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in machine.describe(bench.site_program, machine_python())]
    return "\n".join(lines) + "\n" + "".join(part(bench.root, name, made) for name, made in figures)


MARK = "\n<!-- part: {} -->\n"


def part(root, name, figures):
    """One part of the page, which a later measurement of it alone replaces."""
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    lines = []
    for figure in figures:
        lines += ["", f"## {figure.title}", "", f"Measured {day}, {commit(root)}.", "", figure.words, "", *table(figure), *claims(figure)]
    return MARK.format(name) + "\n".join(lines[1:]) + "\n"


def commit(root):
    """The commit that was measured, and whether files differed from it."""
    def git(*words):
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False).stdout.strip()

    return f"commit {git('rev-parse', '--short', 'HEAD')}" + (" with changes" if git("status", "--porcelain", "src", "Cargo.lock") else "")


def updated(old, new, order):
    """The old page with the parts that the new one has in place of its own; parts stand in a fixed order."""
    def parts(text):
        pieces = re.split(r"\n<!-- part: (\w+) -->\n", text)
        return pieces[0], dict(zip(pieces[1::2], pieces[2::2]))

    (_, kept), (head, measured) = parts(old), parts(new)
    kept.update(measured)
    return head + "".join(MARK.format(name) + kept[name] for name in order if name in kept)


def machine_python():
    import sys

    return sys.executable
