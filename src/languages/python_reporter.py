"""Runs pytest and writes what it saw as sealed lines (tsbench.report/1).

Standard input, each on a line: the key, the report folder, the root of the tree. The arguments are pytest's. Key and
paths are read before anything under test can be imported, and stand in no environment and on no command line.
"""

import hashlib
import hmac
import json
import os
import sys

# Machinery that decides over outcomes. Code under test that replaces one of these functions breaks the report.
WATCHED = (
    "_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.unittest", "_pytest.outcomes", "_pytest.skipping",
    "_pytest.main", "_pytest.raises", "_pytest.python_api", "_pytest.assertion.rewrite", "pluggy._hooks",
    "pluggy._manager", "pluggy._callers", "pluggy._result", "unittest.case", "unittest.suite",
)


def codes():
    """The code of every function and method of the watched modules, by name."""
    found = {}
    for name in WATCHED:
        module = sys.modules.get(name)
        for key, value in list(vars(module).items()) if module else ():
            if getattr(value, "__module__", None) != name:
                continue
            if isinstance(value, type):
                for inner, method in list(vars(value).items()):
                    method = getattr(method, "__func__", getattr(method, "fget", method))
                    if hasattr(method, "__code__"):
                        found[name, key, inner] = method.__code__
            elif hasattr(value, "__code__"):
                found[name, key, ""] = value.__code__
    return found


class Writer:
    """The report: lines, and a code over all of them."""

    def __init__(self, key, folder):
        os.makedirs(folder, exist_ok=True)
        self._file = open(os.path.join(folder, "report.jsonl"), "xb")
        self._mac = hmac.new(key.encode(), b"", hashlib.sha256)
        self._lines = 0

    def line(self, **fields):
        # Half of a surrogate pair is no text to others.
        fields = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in fields.items()}
        data = json.dumps(fields).encode() + b"\n"
        self._mac.update(data)
        self._file.write(data)
        self._file.flush()
        self._lines += 1

    def close(self, code):
        self._mac.update("end {} {}".format(self._lines, code).encode())
        end = {"end": True, "lines": self._lines, "exit": code, "mac": self._mac.hexdigest()}
        self._file.write(json.dumps(end).encode() + b"\n")
        self._file.close()


class Reporter:
    """What pytest tells its plugins, as lines."""

    def __init__(self, writer, root, pytest):
        self._writer = writer
        self._root = root
        self._base = root
        self._codes = None
        self._changed = set()

        def snapshot(early_config, parser, args):
            # Every installed plugin is loaded, no conftest.py is.
            self._codes = codes()

        self.pytest_load_initial_conftests = pytest.hookimpl(tryfirst=True)(snapshot)

    def pytest_configure(self, config):
        self._base = os.path.realpath(str(config.rootpath))

    def _id(self, nodeid):
        path, sep, rest = nodeid.partition("::")
        path = os.path.relpath(os.path.join(self._base, path), self._root).replace(os.sep, "/")
        return path + sep + rest

    def _watch(self):
        now = codes()
        for name, code in (self._codes or {}).items():
            if now.get(name) is not code and name not in self._changed:
                self._changed.add(name)
                self._writer.line(tamper="code under test replaced " + ".".join(filter(None, name)))

    def pytest_runtest_logreport(self, report):
        self._watch()
        status = report.outcome
        if hasattr(report, "wasxfail"):
            status = "expected_failure" if report.skipped else "unexpected_pass"
        elif report.failed and report.when != "call":
            status = "errored"
        message = "" if status == "passed" else str(report.longrepr or "")[-2000:]
        self._writer.line(
            id=self._id(report.nodeid), phase=report.when, status=status, seconds=report.duration, message=message
        )

    def pytest_collectreport(self, report):
        if report.failed:
            self._writer.line(problem="collect {}: {}".format(self._id(report.nodeid), str(report.longrepr)[-2000:]))

    def pytest_internalerror(self, excrepr):
        self._writer.line(problem="pytest broke: " + str(excrepr)[-2000:])

    def finish(self):
        self._watch()


def main():
    key, folder, root = (sys.stdin.readline().rstrip("\n") for _ in range(3))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    writer = Writer(key, folder)
    del key
    # Not this folder, but what the environment has is importable.
    sys.path[0:1] = []
    arguments, sys.argv[:] = sys.argv[1:], ["pytest"] + sys.argv[1:]
    import pytest

    reporter = Reporter(writer, os.path.realpath(root), pytest)
    code = int(pytest.main(arguments, plugins=[reporter]))
    reporter.finish()
    writer.close(code)
    sys.stdout.flush()
    sys.stderr.flush()
    # Not by way of exit handlers, which belong to the code under test.
    os._exit(code)


if __name__ == "__main__":
    main()
