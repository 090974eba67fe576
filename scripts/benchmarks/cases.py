"""The measured cases. Each returns a Figure: what was run, how long it took, and the ratios that are claimed."""

import glob
import json
import os
import shutil
import subprocess
import sys

import hugo
import measure
from figures import MEGA, Claim, Figure

HERE = os.path.dirname(os.path.abspath(__file__))
# The ways in which the tools read such files unless told more: what a claim of speed is measured by.
USUAL = ("DuckDB, types detected", "polars, eagerly")
BASELINES = {
    "DuckDB, types detected": "duckdb-auto",
    "DuckDB, columns given": "duckdb-columns",
    "polars, lazily": "polars-lazy",
    "polars, eagerly": "polars-eager",
}
SITE = """title = "Made-up results"
tagline = "For measuring only"
base_url = "https://example.invalid"

[[board]]
id = "synthetic"
title = "Made-up results"
suite = "synthetic@1.0"
"""


class Bench:
    """Data, programs and scratch space of one run."""

    def __init__(self, root, scratch, runs, shrink):
        self.root, self.scratch, self.runs, self.shrink = root, scratch, runs, shrink
        self.program = os.path.join(root, "target/release/tsbench")
        self.site_program = os.path.join(root, "target/release/tsbench-site")

    def data(self, tasks, models, repeats, *flags):
        """A seeded folder of results, made once for each size."""
        folder = os.path.join(self.scratch, f"data-{tasks}-{models}-{repeats}")
        if not os.path.isdir(folder):
            print(f"making {tasks * models * repeats:,} attempts", file=sys.stderr)
            subprocess.run([os.path.join(self.root, "scripts/make-attempts"), folder, "--tasks", str(tasks), "--models",
                            str(models), "--repeats", str(repeats), *flags], check=True, stdout=subprocess.DEVNULL)
        return folder

    def site_root(self, data):
        """The root of a site that shows a folder of results: what `init` lays out, with those results."""
        root = data + "-root"
        if not os.path.isdir(root):
            measure.run([self.site_program, "init", root])
            shutil.rmtree(os.path.join(root, "results"), ignore_errors=True)
            os.remove(os.path.join(root, "content/about.md"))
            os.symlink(os.path.join(data, "results"), os.path.join(root, "results"))
            if os.path.isdir(tasks := os.path.join(data, "tasks")):
                shutil.rmtree(os.path.join(root, "tasks"), ignore_errors=True)
                os.symlink(tasks, os.path.join(root, "tasks"))
            with open(os.path.join(root, "content/site.toml"), "w", encoding="utf-8") as file:
                file.write(SITE)
        return root

    def run(self, *command):
        return measure.run([str(word) for word in command], scratch=self.scratch)

    def build(self, root, clean=True):
        """Build a site; a clean build starts without the folder of the last one."""
        out = os.path.join(self.scratch, "public-" + os.path.basename(root))
        if clean:
            shutil.rmtree(out, ignore_errors=True)
        return self.run(self.site_program, "build", "--root", root, "--out", out), out

    def baseline(self, tool, data):
        """One aggregation by another tool: the seconds are those of the query alone, the memory is the process's."""
        sample = self.run(sys.executable, os.path.join(HERE, "baselines.py"), tool, data)
        answer = json.loads(sample.output.strip().splitlines()[-1])
        self.agree(tool, (answer["attempts"], answer["fixed"]), data)
        sample.wall = answer["seconds"]
        return sample

    def agree(self, tool, counts, data):
        """Every tool must count the same lines; the counts of the first one to answer are kept."""
        known = self.__dict__.setdefault("known", {}).setdefault(data, counts)
        if counts != known:
            sys.exit(f"error: {tool} counts {counts}, another tool {known}")

    def floor(self, *words):
        """The bare reading or writing of the same bytes; its memory says nothing and is left out."""
        sample = self.run(sys.executable, os.path.join(HERE, "floors.py"), *words)
        wall = json.loads(sample.output)["seconds"]
        return measure.Sample(wall, wall, 0)

    def stats(self, data):
        """Our reading and aggregating, as its user runs it: the whole process, with its JSON written out."""
        return self.run(self.program, "stats", "--in", os.path.join(data, "results"), "--json")

    def cells(self, data):
        """The same aggregation as the others', as its user runs it: the whole process, with its CSV written out."""
        return self.run(self.program, "stats", "--in", os.path.join(data, "results"), "--cells")

    def reading(self):
        data = self.data(500 // self.shrink, 20, 10)
        files = sorted(glob.glob(f"{data}/results/*/attempts.jsonl"))
        size = sum(map(os.path.getsize, files))
        makers = {"tsbench stats --cells": lambda: self.cells(data), "tsbench stats": lambda: self.stats(data)}
        for name, tool in BASELINES.items():
            makers[name] = lambda tool=tool: self.baseline(tool, data)
        makers["floor: reading the bytes"] = lambda: self.floor("read", data)
        series = measure.interleaved(self.runs, makers)
        ours = series["tsbench stats --cells"]
        figure = Figure(
            f"Reading and aggregating {100_000 // self.shrink:,} attempts, {size / MEGA:.0f} MB",
            "Per model and task: lines, fixed ones, each outcome, sum of costs, means of seconds, turns and tokens. The time of "
            "`tsbench stats --cells` is the whole process; `tsbench stats` computes every statistic too; the others' is the query alone, "
            "without starting Python. The claim is over the usual way of each tool; the other two are shown because a careful user has them: "
            "DuckDB told every column and its type beforehand, so that it skips what the query does not name, and polars planning the query "
            "before it reads. Neither checks a line against a contract or keeps its faults.")
        figure.rows = [(one, f"{size / MEGA / one.median():,.0f} MB/s") for one in series.values()]
        figure.claims = [Claim(f"{name}, as a multiple of our time", series[name].median() / ours.median(), 6.0 if name in USUAL else None, unit="×") for name in BASELINES]
        return figure

    def building(self):
        data = self.data(500 // self.shrink, 20, 10)
        root = self.site_root(data)
        _, out = self.build(root)
        same, copy = os.path.join(self.scratch, "same"), os.path.join(self.scratch, "floor")
        shutil.copytree(out, same)
        series = measure.interleaved(self.runs, {
            "tsbench-site build, clean": lambda: self.build(root)[0],
            "tsbench-site build, nothing changed": lambda: self.build(root, clean=False)[0],
            "DuckDB, types detected": lambda: self.baseline("duckdb-auto", data),
            "DuckDB, columns given": lambda: self.baseline("duckdb-columns", data),
            "floor: writing the bytes": lambda: self.floor("write", same, copy),
        })
        count, size = measure.size_of(same)
        shutil.rmtree(same)
        ours, floor = series["tsbench-site build, clean"].median(), series["floor: writing the bytes"].median()
        figure = Figure(
            f"The whole site of the same attempts: {count:,} files, {size / MEGA:.0f} MB",
            "Every page, table, chart, statistic and download, against DuckDB's aggregation alone plus the bare writing of the same bytes.")
        figure.rows = [(one, "") for one in series.values()]
        figure.claims = [Claim(f"our build, as a share of half of {name} plus the floor", ours / (series[name].median() / 2 + floor), 1.0 if name in USUAL else None, least=False, unit="×")
                         for name in ("DuckDB, types detected", "DuckDB, columns given")]
        return figure

    def scale(self):
        small = self.data(500 // self.shrink, 20, 10)
        large = {"ten times the repeats": self.data(500 // self.shrink, 20, 100), "ten times the tasks": self.data(5000 // self.shrink, 20, 10)}
        makers, outs = {}, {}

        def build(name, data):
            sample, outs[name] = self.build(self.site_root(data))
            return sample

        for name, data in {"the smaller": small, **large}.items():
            makers[f"build, {name}"] = lambda name=name, data=data: build(name, data)
            makers[f"stats, {name}"] = lambda data=data: self.stats(data)
        series = measure.interleaved(self.runs, makers)
        figure = Figure(
            f"From {100_000 // self.shrink:,} to {1_000_000 // self.shrink:,} attempts",
            "Time and memory must not grow faster than the data. More repeats make longer shards, more tasks make more pages too.")
        figure.rows = [(one, "{:,} files, {:.0f} MB".format(*scaled) if (scaled := self.sized(name, outs)) else "") for name, one in series.items()]
        for verb in ("build", "stats"):
            for name in large:
                one = series[f"{verb}, {name}"]
                figure.claims.append(Claim(f"{verb}, {name}: times the smaller", one.median() / series[f"{verb}, the smaller"].median(), 10.5, least=False, unit="×"))
                figure.claims.append(Claim(f"{verb}, {name}: peak memory", one.rss() / MEGA, 300, least=False, unit=" MB"))
        for out in outs.values():
            shutil.rmtree(out, ignore_errors=True)
        return figure

    @staticmethod
    def sized(name, outs):
        verb, _, which = name.partition(", ")
        if verb != "build":
            return None
        count, size = measure.size_of(outs[which])
        return count, size / MEGA

    def bundled(self):
        _, out = self.build(self.root)
        same, copy = os.path.join(self.scratch, "same"), os.path.join(self.scratch, "floor")
        shutil.copytree(out, same)
        series = measure.interleaved(self.runs * 2, {
            "tsbench-site build, clean": lambda: self.build(self.root)[0],
            "tsbench-site build, nothing changed": lambda: self.build(self.root, clean=False)[0],
            "floor: writing the bytes": lambda: self.floor("write", same, copy),
        })
        count, size = measure.size_of(same)
        shutil.rmtree(same)
        figure = Figure(f"The bundled results: {count:,} files, {size / MEGA:.1f} MB", "What a newcomer runs first.")
        figure.rows = [(one, "") for one in series.values()]
        figure.claims = [Claim("clean build", series["tsbench-site build, clean"].median() * 1000, 100, least=False, unit=" ms")]
        return figure

    def pages(self):
        data = self.data(10_000 // self.shrink, 1, 1, "--statements")
        root = self.site_root(data)
        _, out = self.build(root)
        same, copy = os.path.join(self.scratch, "same"), os.path.join(self.scratch, "floor")
        shutil.copytree(out, same)
        pages = glob.glob(f"{same}/**/*.html", recursive=True)
        tasks = len(glob.glob(f"{same}/task/**/*.html", recursive=True))
        self.run(sys.executable, os.path.join(HERE, "hugo.py"), same, os.path.join(data, "tasks"), self.scratch)
        theirs = os.path.join(self.scratch, "hugo-out")

        def with_hugo(source):
            shutil.rmtree(theirs, ignore_errors=True)
            return self.run("hugo", "--quiet", "--source", source, "--destination", theirs)

        makers = {"tsbench-site build": lambda: self.build(root)[0]}
        for name, suffix in hugo.CORPORA.items():
            makers[f"Hugo, {name}"] = lambda suffix=suffix: with_hugo(os.path.join(self.scratch, f"hugo-{suffix}"))
        makers["floor: writing the bytes"] = lambda: self.floor("write", same, copy)
        series = measure.interleaved(self.runs, makers)
        theirs_count, theirs_size = measure.size_of(theirs)
        count, size = measure.size_of(same)
        shutil.rmtree(same)
        made = {name: tasks if name.startswith("Hugo") else len(pages) for name in series}
        each = {name: one.median() / made[name] for name, one in series.items()}
        figure = Figure(
            f"{tasks:,} task pages",
            f"Ours: {count:,} files, {size / MEGA:.0f} MB, {len(pages):,} pages with charts, from {tasks:,} raw lines. "
            f"Hugo: {theirs_count:,} files, {theirs_size / MEGA:.0f} MB, the same words of the task pages without charts, from prepared text. "
            "Each page has a statement of three paragraphs and a block of code, which both highlight; the HTML bodies are rendered and "
            "highlighted beforehand, so that Hugo only puts them into its template: no claim rests on them.")
        figure.rows = [(one, f"{each[name] * 1000:.3f} ms a page") for name, one in series.items()]
        figure.claims = [Claim(f"Hugo, {name}: per page, as a multiple of ours", each[f"Hugo, {name}"] / each["tsbench-site build"], 10.0 if name == "Markdown" else None, unit="×") for name in hugo.CORPORA]
        return figure
