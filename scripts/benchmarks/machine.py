"""What the figures were measured on and with: processor, memory, system, and the version of every tool."""

import os
import platform
import re
import subprocess


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout or done.stderr).strip().splitlines()[0]
    except (OSError, IndexError):
        return "not found"


def file_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def describe(program, worker):
    """Pairs of a name and what stands behind it."""
    processor = re.search(r"model name\s*:\s*(.*)", file_text("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s*(\d+)", file_text("/proc/meminfo"))
    system = re.search(r'PRETTY_NAME="(.*)"', file_text("/etc/os-release"))
    python = [str(worker), "-c"]
    return [
        ("processor", f"{processor[1] if processor else platform.machine()}, {os.cpu_count()} cores"),
        ("memory", f"{int(memory[1]) / 1048576:.0f} GiB" if memory else "unknown"),
        ("system", f"{system[1] if system else platform.system()}, Linux {platform.release()}"),
        ("files", "all on tmpfs"),
        ("tsbench", first_line([program, "--version"])),
        ("compiler", first_line(["rustc", "--version"])),
        ("DuckDB", first_line([*python, "import duckdb; print(duckdb.__version__)"]) + ", 2 threads"),
        ("polars", first_line([*python, "import polars; print(polars.__version__)"]) + ", 2 threads"),
        ("Python", platform.python_version()),
        ("Hugo", " ".join(first_line(["hugo", "version"]).split()[1:3])),
    ]
