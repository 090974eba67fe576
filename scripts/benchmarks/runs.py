"""What the harness adds to a model that answers at once: per turn, per attempt, side by side, and in memory over many."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import measure
from figures import Claim, Figure

TASK = "go-text-columns"
FEW, MANY = 5, 35
MEMORY_ATTEMPTS = 2000


def script(folder, turns):
    """A model that gives as many different commands that do nothing, and then hands in."""
    path = os.path.join(folder, f"turns-{turns}.jsonl")
    with open(path, "w") as file:
        for turn in range(turns):
            file.write(json.dumps({"text": f"```bash\n: {turn}\n```"}) + "\n")
        for _ in range(2):  # nothing was changed, which is sent back once
            file.write(json.dumps({"text": "```bash\necho TSBENCH_DONE\n```"}) + "\n")
    return f"mock/script:{path}"


def run_words(bench, out, model, repeats, *more):
    words = [bench.program, "run", "--models", model, "--repeats", str(repeats), "--out", out, "--quiet"]
    for flag, folder in (("--task-folder", "tasks"), ("--prompts", "prompts"), ("--agents", "agents"), ("--models-file", "models.toml")):
        words += [flag, os.path.join(bench.root, folder)] if flag not in more else []
    return [*words, *more]


def in_docker(bench):
    image = None
    with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
        number = 0

        def attempts(turns, repeats, jobs):
            nonlocal number
            number += 1
            out = os.path.join(folder, f"run-{number}")
            sample = bench.run(*run_words(bench, out, script(folder, turns), repeats, "--suite", "demo", "--tasks", TASK, "--jobs", str(jobs)))
            with open(os.path.join(out, "attempts.jsonl")) as file:
                lines = [json.loads(line) for line in file]
            assert len(lines) == repeats and all(line["outcome"] == "no_patch" for line in lines), lines[:1]
            nonlocal image
            image = lines[0]["digests"]["image"]
            return sample

        attempts(1, 1, 1)  # makes the image if it is missing
        container = subprocess.run(
            ["docker", "run", "--detach", "--rm", "--init", "--network", "none", "--label", "tsbench.owner=none", "--entrypoint", "sleep", image, "3600"],
            check=True, capture_output=True, text=True).stdout.strip()

        def bare_exec():
            return bench.run("docker", "exec", "--user", "1000", "--workdir", "/workspace", container, "bash", "-c", ":")

        def bare_run():
            return bench.run("docker", "run", "--rm", "--init", "--network", "none", "--entrypoint", "true", image)

        few, many = f"{FEW} turns", f"{MANY} turns"
        try:
            series = measure.interleaved(max(5, bench.runs), {
                few: lambda: attempts(FEW, 1, 1), many: lambda: attempts(MANY, 1, 1),
                "docker exec": bare_exec, "docker run": bare_run})
        finally:
            subprocess.run(["docker", "rm", "--force", container], check=False, capture_output=True)
        turn = (series[many].median() - series[few].median()) / (MANY - FEW)
        attempt = series[few].median() - turn * FEW
        side = {}
        for jobs in (1, 2, 4):
            name = f"12 attempts of {FEW} turns, {jobs} {'job' if jobs == 1 else 'jobs'}"
            side[name] = measure.Series(name, [attempts(FEW, 12, jobs)])
            print(f"  {name} {side[name].median():8.3f} s", file=sys.stderr)
    figure = Figure(
        "A turn and an attempt",
        f"An attempt at {TASK} by a model that answers at once, as the whole program, its start included: commands that do nothing, so "
        "that all of the time is the harness's and Docker's. A turn is the slope between few turns and many; an attempt without turns is "
        "the rest: a container with its first commit, two captures of the workspace, the trajectory, the line on the disk. Nothing was "
        "changed, so that there is nothing to test.")
    figure.rows = [(series[name], "") for name in (few, many, "docker exec", "docker run")]
    figure.rows += [(one, "") for one in side.values()]
    figure.claims.append(Claim("a turn", turn, None, unit=" s"))
    figure.claims.append(Claim("a turn, as a multiple of a bare `docker exec` of the same command", turn / series["docker exec"].median(), None, unit="×"))
    figure.claims.append(Claim("an attempt without turns", attempt, None, unit=" s"))
    figure.claims.append(Claim("an attempt without turns, as a multiple of a bare `docker run`", attempt / series["docker run"].median(), None, unit="×"))
    alone = next(iter(side.values())).median()
    for (name, one), jobs in list(zip(side.items(), (1, 2, 4)))[1:]:
        figure.claims.append(Claim(f"time with {jobs} jobs, as a share of the time with one", one.median() / alone, None, unit="×"))
    return figure


TINY = {
    "tasks/tiny/suite.toml": 'id = "tiny"\nversion = "1"\ntitle = "Tiny"\n',
    "tasks/tiny/say-yes/task.toml": 'id = "say-yes"\ntitle = "Say yes"\nlanguage = "go"\n\n[scorecard]\nchecks = ["yes"]\ncommand = ["sh", "check.sh"]\n',
    "tasks/tiny/say-yes/problem.md": "answer.txt must say yes.\n",
    "tasks/tiny/say-yes/repo/go.mod": "module tiny\n\ngo 1.19\n",
    "tasks/tiny/say-yes/repo/answer.txt": "no\n",
    "tasks/tiny/say-yes/solution.patch": "diff --git a/answer.txt b/answer.txt\n--- a/answer.txt\n+++ b/answer.txt\n@@ -1 +1 @@\n-no\n+yes\n",
    "tasks/tiny/say-yes/grader/check.sh": 'read -r token\ngrep -qx yes "$TSBENCH_TREE/answer.txt" && echo "passed $token"\n',
}


def resident(pid):
    """MiB of memory that a process has resident."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def memory(bench):
    count = 200 if bench.shrink > 1 else MEMORY_ATTEMPTS
    with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
        for name, text in TINY.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        out = os.path.join(folder, "results/many")
        words = run_words(bench, out, "mock/gold,mock/empty", count // 2, "--task-folder", os.path.join(folder, "tasks"), "--suite", "tiny",
                          "--sandbox", "local", "--cache", os.path.join(folder, "cache"), "--jobs", "2")
        begun, seen = time.perf_counter(), []
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
        reader = threading.Thread(target=lambda: seen.extend(resident(child.pid) for _ in child.stdout))
        reader.start()
        before = os.times()
        code = child.wait()
        after = os.times()
        usage = after.children_user + after.children_system - before.children_user - before.children_system
        reader.join()
        seconds = time.perf_counter() - begun
        assert code == 0 and len(seen) >= count - 2, (code, len(seen))
    early, late = sorted(seen[count // 10:count // 5]), sorted(seen[-count // 10:])
    figure = Figure(
        f"{count:,} attempts in one run",
        "Mock models at a task of one file, as processes of this machine, two side by side; the program's resident memory is read at each "
        "line that it prints.")
    figure.rows = [(measure.Series(f"{count:,} attempts", [measure.Sample(seconds, usage, int(max(seen) * (1 << 20)))]), f"{count / seconds:.1f} attempts a second")]
    figure.claims.append(Claim("resident memory at the end, as a multiple of that after the first tenth", late[len(late) // 2] / early[len(early) // 2], 1.1, least=False, unit="×"))
    figure.claims.append(Claim("most resident memory", max(seen), None, unit=" MiB"))
    return figure
