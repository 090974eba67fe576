"""Runs one check of a grader that prints a scorecard: `python3 -I tsbench_run.py CHECK`.

The grader judges all checks in one go and loads the code under test into its own process. So it runs in a child: its
scorecard comes back over a pipe of its own, with a code made from a key that the child read before it loaded anything;
what the code under test prints, does at exit or by leaving early is no scorecard. The list of checks is the declared
one, never the card's. The code under test stands in a folder without anything that could pass for the standard library.
"""

import hashlib
import hmac
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = 4 << 20


def lay(tree, work):
    """The code under test beside the grader, without names that Python would take for its own."""
    taken = set(sys.stdlib_module_names) | {"sitecustomize", "usercustomize", "grade"}
    for entry in os.scandir(tree):
        stem = entry.name.split(".")[0]
        if stem in taken or entry.name == ".git" or entry.name.endswith(".pth"):
            continue
        target = os.path.join(work, entry.name)
        if entry.is_dir(follow_symlinks=False):
            shutil.copytree(entry.path, target, symlinks=True)
        else:
            shutil.copy2(entry.path, target, follow_symlinks=False)
    shutil.copy2(os.path.join(HERE, "grade.py"), os.path.join(work, "grade.py"))


def grade(work):
    """The scorecard, or why there is none."""
    key = secrets.token_bytes(32)
    read, write = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-I", os.path.join(HERE, "tsbench_child.py"), str(write)],
        cwd=work,
        stdin=subprocess.PIPE,
        stdout=2,
        pass_fds=(write,),
        env={"PATH": os.environ.get("PATH", ""), "HOME": work, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
    )
    os.close(write)
    child.stdin.write(key)
    child.stdin.close()
    data = b""
    while len(data) < MOST and data.count(b"\n") < 2:
        part = os.read(read, 65536)
        if not part:
            break
        data += part
    child.kill()
    child.wait()
    code, _, card = data.partition(b"\n")
    card = card.partition(b"\n")[0]
    if not card or not hmac.compare_digest(code, hmac.new(key, card, hashlib.sha256).hexdigest().encode()):
        return None, "the grader ended without a scorecard of its own"
    try:
        return json.loads(card), None
    except ValueError:
        return None, "the grader's last line is no scorecard"


def fault(card, declared):
    """What is wrong with a scorecard, if something is."""
    checks = card.get("checks") if isinstance(card, dict) else None
    if not isinstance(checks, list) or not all(isinstance(c, dict) for c in checks):
        return "the scorecard has no list of checks"
    ids = [c.get("id") for c in checks]
    if len(set(map(str, ids))) != len(ids):
        return "the scorecard names a check twice"
    strange = [i for i in ids if i not in declared]
    if strange:
        return f"the scorecard names a check that was never declared: {strange[0]!r}"
    if card.get("import_ok") is False:
        return f"the package could not be loaded: {card.get('import_detail')}"
    return None


def main():
    token = sys.stdin.readline().strip()
    check = sys.argv[1]
    with open(os.path.join(HERE, "checks.json"), encoding="utf-8") as file:
        declared = json.load(file)
    work = tempfile.mkdtemp(prefix="grade-")
    try:
        lay(os.environ["TSBENCH_TREE"], work)
        card, why = grade(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    why = why or fault(card, declared)
    if why:
        sys.exit(why)
    found = [c for c in card["checks"] if c.get("id") == check]
    if not found:
        sys.exit(f"{check}: declared, and not in the scorecard")
    if found[0].get("passed") is not True:
        sys.exit(f"{check}: {found[0].get('detail')}")
    print(f"passed {token}")


if __name__ == "__main__":
    main()
