"""What a scoring costs beside its tests: the whole program against a bare `docker run` of the same tests in the same image."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import measure
from figures import Claim, Figure

TASK = "py-opening-hours"
TESTS = ["/home/agent/tsbench/venv/bin/python", "-m", "pytest", "-q", "--tb=short", "tests/test_hours.py"]


def docker(*words):
    return subprocess.run(["docker", *words], check=True, capture_output=True, text=True).stdout.strip()


def fixed_image(root, image):
    """The task's image with the human fix and the hidden tests laid over it, as a scoring lays them; its name."""
    task = os.path.join(root, "tasks/demo", TASK)
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        shutil.copytree(os.path.join(task, "repo"), tree)
        subprocess.run(["git", "apply", os.path.join(task, "solution.patch")], cwd=tree, check=True)
        shutil.copytree(os.path.join(task, "tests"), tree, dirs_exist_ok=True)
        container = docker("create", image, "true")
        try:
            docker("cp", f"{tree}/.", f"{container}:/workspace")
            return docker("commit", container, "tsbench-bench/fixed:1")
        finally:
            docker("rm", container)


def percentile(series, share):
    """The nearest rank."""
    walls = sorted(sample.wall for sample in series.samples)
    return walls[min(len(walls) - 1, int(share * len(walls)))]


def one_scoring(bench):
    patch = os.path.join(bench.root, "tasks/demo", TASK, "solution.patch")
    words = [bench.program, "score", "--suite", "demo", "--task", TASK, "--patch", patch, "--json"]
    words += ["--tasks", os.path.join(bench.root, "tasks")]
    verdict = json.loads(bench.run(*words).output)
    image = fixed_image(bench.root, verdict["digests"]["image"])
    seconds = []

    def scored():
        sample = bench.run(*words)
        seconds.append(json.loads(sample.output)["seconds"])
        return sample

    def bare():
        return bench.run("docker", "run", "--rm", "--init", "--network", "none", "--user", "1000", "--workdir", "/workspace",
                         "--label", "tsbench.owner=none", "--entrypoint", TESTS[0], image, *TESTS[1:])

    try:
        series = measure.interleaved(max(20, bench.runs), {"tsbench score": scored, "docker run": bare})
    finally:
        docker("rmi", image)
    ours, theirs = series["tsbench score"], series["docker run"]
    figure = Figure(
        "One scoring",
        f"The human fix of {TASK}: create, apply, lay the tests, run them, read their report, remove and prove it gone, as the whole "
        "program with its start; against `docker run` of the same tests on the same files in the same image. The tests alone took "
        f"{sorted(s['tests'] for s in seconds)[len(seconds) // 2]:.2f} s of each scoring.")
    figure.rows = [(one, f"p50 {percentile(one, 0.5):.2f} s, p95 {percentile(one, 0.95):.2f} s") for one in (ours, theirs)]
    for share in (0.5, 0.95):
        over = percentile(ours, share) - percentile(theirs, share)
        figure.claims.append(Claim(f"overhead of a scoring over the bare run, p{share * 100:.0f}", over, None, unit=" s"))
    return figure


def gates(bench):
    def gate(jobs):
        words = ["gate", "--suite", "demo", "--runs", "1", "--no-exploits", "--quiet", "--jobs", str(jobs)]
        return bench.run(bench.program, *words, "--tasks", os.path.join(bench.root, "tasks"))

    gate(4)  # makes the images that are missing
    series = {}
    for jobs in (1, 2, 4):
        name = f"gate of the demo suite, {jobs} {'job' if jobs == 1 else 'jobs'}"
        series[name] = measure.Series(name, [gate(jobs)])
        print(f"  {name} {series[name].median():8.3f} s", file=sys.stderr)
    figure = Figure(
        "The gate of the demo suite",
        "The human fix and the empty patch at each of its eight tasks, once, with their images made before; one run of each.")
    figure.rows = [(one, "") for one in series.values()]
    alone = series["gate of the demo suite, 1 job"].median()
    for jobs in (2, 4):
        share = series[f"gate of the demo suite, {jobs} jobs"].median() / alone
        figure.claims.append(Claim(f"time with {jobs} jobs, as a share of the time with one", share, None, unit="×"))
    return figure


def is_possible():
    found = subprocess.run(["docker", "image", "inspect", "tsbench/python:1", "tsbench/java:1"], capture_output=True)
    if found.returncode != 0:
        print("SKIPPED: scoring and gates: no Docker with the images of scripts/images", file=sys.stderr)
    return found.returncode == 0
