"""One aggregation of raw attempts, by a tool that others keep: per model and task the number of lines, the fixed ones,
each outcome, the sum of costs and the means of seconds, turns and tokens.

    python baselines.py duckdb-auto|duckdb-columns|polars-lazy|polars-eager FOLDER

Prints one JSON object: seconds of the aggregation alone (the interpreter and imports are not timed), and the totals, so
that the caller can see that every tool answered the same question. Two threads, as the machine has two cores.
"""

import glob
import json
import os
import sys
import time

THREADS = 2
os.environ["POLARS_MAX_THREADS"] = str(THREADS)

OUTCOMES = ("resolved", "unresolved", "no_patch", "patch_failed", "timed_out", "infra_error", "stopped", "observed")
COLUMNS = """columns = {model: 'VARCHAR', task: 'VARCHAR', outcome: 'VARCHAR', cost_usd: 'DOUBLE',
    seconds: 'STRUCT(total DOUBLE)', turns: 'BIGINT', usage: 'STRUCT(input BIGINT, output BIGINT)'}"""


def with_duckdb(folder, options):
    import duckdb

    connection = duckdb.connect(config={"threads": THREADS})
    counts = ", ".join(f"count(*) FILTER (outcome = '{word}') AS n_{word}" for word in OUTCOMES)
    query = f"""
        SELECT model, task, count(*) AS attempts, {counts}, sum(cost_usd) AS cost, avg(seconds.total) AS seconds,
               avg(turns) AS turns, avg(usage.input + usage.output) AS tokens
        FROM read_json('{folder}/results/*/attempts.jsonl', format = 'newline_delimited', {options})
        GROUP BY model, task ORDER BY model, task"""
    started = time.perf_counter()
    rows = connection.execute(query).fetchall()
    seconds = time.perf_counter() - started
    return seconds, [(row[2], row[3], row[3 + len(OUTCOMES)]) for row in rows]


def with_polars(folder, lazy):
    import polars

    files = sorted(glob.glob(f"{folder}/results/*/attempts.jsonl"))
    column = polars.col
    counts = [(column("outcome") == word).sum().alias(f"n_{word}") for word in OUTCOMES]
    started = time.perf_counter()
    # A field that is null in the first lines and an object later needs a longer look ahead than the default.
    ahead = {"infer_schema_length": 2000}
    lines = polars.scan_ndjson(files, **ahead) if lazy else polars.concat([polars.read_ndjson(file, **ahead) for file in files], how="diagonal_relaxed")
    groups = lines.group_by("model", "task").agg(
        polars.len().alias("attempts"), *counts, column("cost_usd").sum().alias("cost"),
        column("seconds").struct.field("total").mean().alias("seconds"), column("turns").mean(),
        (column("usage").struct.field("input") + column("usage").struct.field("output")).mean().alias("tokens"),
    ).sort("model", "task")
    table = groups.collect() if lazy else groups
    seconds = time.perf_counter() - started
    return seconds, table.select("attempts", "n_resolved", "cost").rows()


TOOLS = {
    "duckdb-auto": lambda folder: with_duckdb(folder, "auto_detect = true"),
    "duckdb-columns": lambda folder: with_duckdb(folder, COLUMNS),
    "polars-lazy": lambda folder: with_polars(folder, True),
    "polars-eager": lambda folder: with_polars(folder, False),
}


def main():
    tool, folder = sys.argv[1:]
    seconds, cells = TOOLS[tool](folder)
    print(json.dumps({
        "seconds": seconds, "cells": len(cells), "attempts": sum(cell[0] for cell in cells),
        "fixed": sum(cell[1] for cell in cells), "cost": round(sum(cell[2] or 0.0 for cell in cells), 6)}))


if __name__ == "__main__":
    main()
