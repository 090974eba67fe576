"""Runs one check: `python3 grade.py CHECK`, the token on standard input, the tree in TSBENCH_TREE.

Only `tests/test_rounding.py` is taken from the tree. It runs in a child process, in a folder of its own, beside code that
is kept here: the right one, the same in other words, or one with a fault. A fault counts as found if the suite fails
beside it and passes beside its twin, right code that is changed in the same place; what runs first is drawn by lot, so
that neither counting runs nor seeing that the code was changed tells anything. The suite runs as the same user as this
process, so the grader is taken out of its reach before it starts.
"""

import ctypes
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from mutants import MUTANTS, mutated, twin

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join("tests", "test_rounding.py")
FEWEST = 10
PR_SET_DUMPABLE = 4
MOST_BYTES = 1_000_000


def main():
    token = sys.stdin.readline().strip()
    check = sys.argv[1]
    suite = os.path.join(os.environ["TSBENCH_TREE"], SUITE)
    if os.path.islink(suite) or not os.path.isfile(suite) or os.path.getsize(suite) > MOST_BYTES:
        sys.exit(f"{check}: there is no file {SUITE}")
    package, rewritten, runner = package_files(), text_of("rewritten.py"), text_of("run_suite.py")
    right = package["rounding.py"]
    if check == "right_code":
        wanted = [(right, True)]
    elif check == "right_code_rewritten":
        wanted = [(rewritten, True)]
    elif check in MUTANTS:
        wanted = [(twin(right, check), True), (mutated(right, check), False)]
        random.shuffle(wanted)
    else:
        sys.exit(f"there is no check {check!r}")
    withdraw()
    for code, passes in wanted:
        judge(check, suite, (runner, package | {"rounding.py": code}), passes)
    print(f"passed {token}")


def withdraw():
    """Leaves nothing to find: no folder of the grader, which is a copy made for this run, and no way into this process."""
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("this process cannot be closed to others of its user")
    copy = os.environ.pop("TSBENCH_GRADER", None)
    if copy is not None:
        os.chdir("/")
        shutil.rmtree(copy)


def judge(check, suite, code, passes):
    end, ran, output = run(suite, *code)
    beside = "right code" if passes else "the fault"
    if end != (0 if passes else 1):
        sys.exit(f"{check}: beside {beside} the suite ended with {end}\n{output}")
    if passes and ran < FEWEST:
        sys.exit(f"{check}: {ran} tests passed, at least {FEWEST} are asked for\n{output}")


def run(suite, runner, package):
    """How a suite ends beside a package: its exit code, the tests that passed, its output."""
    python, packages = environment()
    scratch = tempfile.mkdtemp()
    try:
        os.mkdir(os.path.join(scratch, "tillbook"))
        os.mkdir(os.path.join(scratch, "tests"))
        shutil.copyfile(suite, os.path.join(scratch, SUITE))
        for name, text in package.items():
            with open(os.path.join(scratch, "tillbook", name), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(scratch, "pytest.ini"), "w", encoding="utf-8") as file:
            file.write("[pytest]\n")
        done = subprocess.run(
            [python, "-I", "-S", "-B", "-c", runner, packages, scratch],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=80,
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": scratch,
                "TMPDIR": scratch,
                "LANG": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
        )
        return done.returncode, passed(os.path.join(scratch, "report.xml")), done.stdout.decode(errors="replace")[-2000:]
    except subprocess.TimeoutExpired:
        return "no end", 0, ""
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def passed(report):
    """How many tests of a report passed."""
    try:
        cases = ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError):
        return 0
    return sum(all(part.tag in ("properties", "system-out", "system-err") for part in case) for case in cases)


def environment():
    """The interpreter of the project's environment and its packages, which the patch cannot reach."""
    beside = os.path.join(os.path.dirname(HERE), "tsbench", "venv")
    for place in (beside, os.environ.get("VIRTUAL_ENV", ""), sys.prefix):
        for packages in glob.glob(os.path.join(place, "lib", "python3*", "site-packages")) if place else []:
            if os.path.isdir(os.path.join(packages, "pytest")):
                return os.path.join(place, "bin", "python"), packages
    sys.exit("pytest is not installed")


def package_files():
    """The right package, by the names of its files."""
    folder = os.path.join("package", "tillbook")
    return {name: text_of(folder, name) for name in os.listdir(os.path.join(HERE, folder)) if name.endswith(".py")}


def text_of(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    main()
