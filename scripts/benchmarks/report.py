"""BENCH.md from measured figures."""

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
    for figure in figures:
        lines += ["", f"## {figure.title}", "", figure.words, "", *table(figure), *claims(figure)]
    return "\n".join(lines) + "\n"


def machine_python():
    import sys

    return sys.executable
