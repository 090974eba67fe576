"""Runs the tests of a Harbor task and reads their reward: `python3 -I harbor_run.py reward`.

Harbor gives its tests fixed places: /tests, /logs/verifier and the work folder. Here they get folders of their own, and
these names are put into their texts.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def settle(source, target, names):
    """A copy of the tests in which every fixed place is the one that it has here."""
    shutil.copytree(source, target, symlinks=True)
    for folder, _, files in os.walk(target):
        for path in (os.path.join(folder, name) for name in files):
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                data = file.read()
            if b"\0" in data:
                continue
            for name, place in names:
                data = data.replace(name.encode(), place.encode())
            with open(path, "wb") as file:
                file.write(data)


def reward(logs):
    """The reward: every number of reward.json, or the one of reward.txt. None where there is none that can be read."""
    try:
        with open(os.path.join(logs, "reward.json"), encoding="utf-8") as file:
            found = json.load(file)
        values = list(found.values()) if isinstance(found, dict) else [found]
    except FileNotFoundError:
        try:
            with open(os.path.join(logs, "reward.txt"), encoding="utf-8") as file:
                values = [float(file.read().strip())]
        except (OSError, ValueError):
            return None
    except (OSError, ValueError):
        return None
    good = all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values)
    return min(values) if values and good else None


def main():
    token = sys.stdin.readline().strip()
    with open(os.path.join(HERE, "harbor.json"), encoding="utf-8") as file:
        about = json.load(file)
    tree = os.environ["TSBENCH_TREE"]
    work = tempfile.mkdtemp(prefix="harbor-")
    try:
        tests, logs = os.path.join(work, "tests"), os.path.join(work, "logs")
        os.makedirs(logs)
        names = [("/logs/verifier", logs), ("/tests", tests), (about["workdir"], tree)]
        settle(os.path.join(HERE, "tests"), tests, names)
        env = {**os.environ, **about["env"]}
        subprocess.run(["bash", os.path.join(tests, "test.sh")], cwd=tree, env=env, stdin=subprocess.DEVNULL, stdout=2)
        found = reward(logs)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if found is None:
        sys.exit("the tests left no reward that can be read")
    if found < 1:
        sys.exit(f"the reward is {found}")
    print(f"passed {token}")


if __name__ == "__main__":
    main()
