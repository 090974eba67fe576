"""Runs one check: `python3 grade.py CHECK`, the token on standard input, the tree in TSBENCH_TREE.

The code under test runs in a child process that never sees the token or what is expected. It answers questions; this
process alone compares. Leaving early, printing, or patching what is around it gives no answer, and so no pass. Both run as
the same user, so what is expected is taken out of its reach before it starts.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_DUMPABLE = 4

CHECKS = {
    "release_after_prerelease": [
        (["compare", "1.0.0-rc.1", "1.0.0"], -1),
        (["compare", "1.0.0", "1.0.0-alpha"], 1),
        (["compare", "2.1.0-0", "2.0.9"], 1),
    ],
    "numeric_identifiers": [
        (["compare", "1.0.0-alpha.2", "1.0.0-alpha.10"], -1),
        (["compare", "1.0.0-11", "1.0.0-2"], 1),
        (["compare", "1.0.0-rc.1", "1.0.0-rc.1"], 0),
    ],
    "numbers_before_words": [
        (["compare", "1.0.0-alpha.10", "1.0.0-alpha.beta"], -1),
        (["compare", "1.0.0-alpha", "1.0.0-1"], 1),
        (["compare", "1.0.0-alpha.1", "1.0.0-alpha.1.0"], -1),
    ],
    "longer_after_shorter": [
        (["compare", "1.0.0-alpha", "1.0.0-alpha.1"], -1),
        (["compare", "1.0.0-a.b.c", "1.0.0-a.b"], 1),
    ],
    "build_data_does_not_count": [
        (["compare", "1.0.0+one", "1.0.0+two"], 0),
        (["compare", "1.0.0-rc.1+5", "1.0.0"], -1),
    ],
    "caret_below_one": [
        (["satisfies", "0.2.9", "^0.2.3"], True),
        (["satisfies", "0.3.0", "^0.2.3"], False),
        (["satisfies", "0.2.2", "^0.2.3"], False),
    ],
    "caret_of_a_patch": [
        (["satisfies", "0.0.3", "^0.0.3"], True),
        (["satisfies", "0.0.4", "^0.0.3"], False),
        (["satisfies", "0.1.0", "^0.0.3"], False),
    ],
    "ranges_stay": [
        (["satisfies", "1.4.2", "^1.2.0"], True),
        (["satisfies", "2.0.0-rc.1", "^1.2.0"], False),
        (["satisfies", "1.2.9", "~1.2.3"], True),
        (["satisfies", "1.3.0", "~1.2.3"], False),
        (["satisfies", "1.4.2", ">=1.2 <2.0"], True),
        (["satisfies", "0.0.1", ""], True),
    ],
    "no_version_is_an_error": [
        (["compare", "one", "1.0.0"], "ValueError"),
        (["satisfies", "1.0.0", "^^1"], "ValueError"),
    ],
}


def withdraw():
    """Leaves nothing to find: no folder of the grader, which is a copy made for this run, and no way into this process."""
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("this process cannot be closed to others of its user")
    copy = os.environ.pop("TSBENCH_GRADER", None)
    if copy is not None:
        os.chdir("/")
        shutil.rmtree(copy)


def main():
    token = sys.stdin.readline().strip()
    questions = CHECKS[sys.argv[1]]
    with open(os.path.join(HERE, "answer.py"), encoding="utf-8") as file:
        answer = file.read()
    withdraw()
    child = subprocess.run(
        [sys.executable, "-I", "-c", answer, os.environ["TSBENCH_TREE"]],
        input=json.dumps([asked for asked, _ in questions]).encode(),
        stdout=subprocess.PIPE,
        timeout=60,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        answers = json.loads(child.stdout)
    except ValueError:
        answers = None
    expected = [answer for _, answer in questions]
    # Not `==` alone: to Python, True is 1.
    if json.dumps(answers) != json.dumps(expected):
        sys.exit(f"{sys.argv[1]}: expected {expected}, found {answers}")
    print(f"passed {token}")


if __name__ == "__main__":
    main()
