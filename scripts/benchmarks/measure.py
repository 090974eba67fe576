"""Runs commands and measures them: wall time, processor time, peak memory.

This process stays small on purpose: the system counts the memory of the process that starts a command as that command's
own peak, so whatever needs much memory here is done in a process of its own.
"""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Sample:
    """One run: seconds of wall and processor time, peak resident memory in bytes, and what it printed."""
    wall: float
    cpu: float
    rss: int
    output: str = ""


@dataclass
class Series:
    """Runs of one thing, in the order in which they happened."""
    name: str
    samples: list = field(default_factory=list)

    def median(self):
        return statistics.median(sample.wall for sample in self.samples)

    def cpu(self):
        return statistics.median(sample.cpu for sample in self.samples)

    def rss(self):
        return max(sample.rss for sample in self.samples)

    def spread(self):
        walls = [sample.wall for sample in self.samples]
        return min(walls), max(walls)


def run(command, **options):
    """Run a command to its end; a failure stops the benchmark, with the command's own words."""
    started = time.perf_counter()
    name = os.path.join(options.pop("scratch", "/tmp"), f"bench-{os.getpid()}")
    texts = {"encoding": "utf-8", "errors": "replace"}
    with open(f"{name}.out", "w+", **texts) as out, open(f"{name}.err", "w+", **texts) as err:
        # Apart: a remark on the standard error, such as that of a sweep, is no part of an answer.
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read()
    os.unlink(out.name)
    os.unlink(err.name)
    if child.returncode != 0:
        sys.exit(f"error: exit code {child.returncode} from {' '.join(map(str, command))}\n{(said + text)[-2000:]}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text)


def interleaved(runs, makers):
    """Run each of several things once, then each again, so that a slow minute of the machine falls on all of them.

    `makers` maps a name to a function that returns a Sample. The first round warms caches and is not counted.
    """
    series = {name: Series(name) for name in makers}
    for turn in range(runs + 1):
        for name, make in makers.items():
            sample = make()
            if turn > 0:
                series[name].samples.append(sample)
            print(f"  {'warm-up' if turn == 0 else f'run {turn}'}  {name:<34} {sample.wall:8.3f} s  {sample.rss / 1e6:7.0f} MB", file=sys.stderr)
    return series


def size_of(folder):
    """Number of files below a folder, and their bytes."""
    sizes = [os.path.getsize(os.path.join(here, name)) for here, _, files in os.walk(folder) for name in files]
    return len(sizes), sum(sizes)
