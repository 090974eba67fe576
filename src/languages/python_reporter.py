"""Runs pytest and writes what it saw as sealed lines (tsbench.report/1).

Standard input, each on a line: the key, the report folder, the root of the tree. The arguments are pytest's. Key and
paths are read before anything under test can be imported, and stand in no environment and on no command line.

A test may replace what it likes while it runs: json, time, open, built-in functions, the working folder, the standard
streams. Everything that makes the report is therefore bound when this file is loaded, and nothing here may raise.
"""

import builtins
import os
import sys
from hashlib import sha256
from json.encoder import encode_basestring_ascii as quoted
from os import O_APPEND, O_CLOEXEC, O_CREAT, O_EXCL, O_WRONLY, _exit, fstat, getpid
from os import open as open_file
from os import write as write_file

# The functions below look here for what is built in, not where a test can replace it.
__builtins__ = dict(vars(builtins))

# Machinery that decides over outcomes. Code under test that replaces one of these functions takes the pass from the test
# that runs; what replaces one before any test runs breaks the report.
WATCHED = (
    "_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.unittest", "_pytest.outcomes", "_pytest.skipping",
    "_pytest.main", "_pytest.raises", "_pytest.python_api", "_pytest.assertion.rewrite", "pluggy._hooks",
    "pluggy._manager", "pluggy._callers", "pluggy._result", "unittest.case", "unittest.suite",
)

# Bytes of an id, and what is kept of a longer one before its digest: as the reader of these lines cuts it.
MOST_ID, HEAD_OF_ID = 4096, 4000


def encoded(value):
    """A value as JSON. Half of a surrogate pair is no text to others."""
    if value is None or value is True:
        return "null" if value is None else "true"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value) if abs(value) < 1e300 else "null"
    return quoted(str.encode(value, "utf-8", "replace").decode())


def fitted(name):
    data = str.encode(name, "utf-8", "replace")
    if len(data) <= MOST_ID:
        return data.decode()
    return data[:HEAD_OF_ID].decode("utf-8", "ignore") + "\u2026" + sha256(data).hexdigest()[:32]


def said(value):
    """The end of what something says of itself."""
    try:
        return str(value or "")[-2000:]
    except BaseException:
        return "it cannot be shown"


class Writer:
    """The report: lines, and an HMAC-SHA256 over all of them."""

    def __init__(self, key, folder):
        os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, "report.jsonl")
        self._file = open_file(self._path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o666)
        self._place = self._there()
        self._owner = getpid()
        key = key.encode().ljust(64, b"\0")
        self._inner, self._outer = (sha256(bytes(b ^ pad for b in key)) for pad in (0x36, 0x5C))
        self._lines = 0
        self._pending = b""

    def _there(self):
        try:
            found = fstat(self._file)
            return found.st_dev, found.st_ino
        except OSError:
            return None

    def _put(self, data):
        self._pending += data
        try:
            # A test may close what it did not open, and open another file under its number.
            if self._there() != self._place:
                self._file = open_file(self._path, O_WRONLY | O_APPEND | O_CLOEXEC)
            while self._pending:
                self._pending = self._pending[write_file(self._file, self._pending):]
        except OSError:
            pass  # With the next line, then.

    def line(self, **fields):
        # A process that a test forked may go on as if it were this one.
        if getpid() != self._owner:
            return
        data = "{" + ", ".join([quoted(k) + ": " + encoded(v) for k, v in fields.items()]) + "}\n"
        self._inner.update(data.encode())
        self._lines += 1
        self._put(data.encode())

    def close(self, code):
        if getpid() != self._owner:
            return
        self._inner.update("end {} {}".format(self._lines, code).encode())
        self._outer.update(self._inner.digest())
        end = '{{"end": true, "lines": {}, "exit": {}, "mac": "{}"}}\n'
        self._put(end.format(self._lines, code, self._outer.hexdigest()).encode())


def code_of(function):
    function = getattr(function, "__func__", getattr(function, "fget", function))
    return getattr(function, "__code__", None)


def functions(module):
    """Every function and method that a module defines: the class it stands in, its name and itself."""
    for key, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, type):
            for inner, method in list(vars(value).items()):
                if code_of(method) is not None:
                    yield key, inner, method
        elif code_of(value) is not None:
            yield "", key, value


class Watch:
    """Notices what replaces the machinery, and puts it back."""

    def __init__(self, modules, plugins):
        self._known = [
            (module, owner, name, value, code_of(value)) for module in modules for owner, name, value in functions(module)
        ]
        # An installed plugin may put a function of its own in the place of its namesake: to run tests again, say.
        self._allowed = [code_of(value) for plugin in plugins for _, _, value in functions(plugin)]

    def changed(self):
        found = []
        for entry in self._known:
            module, owner, name, _, code = entry
            holder = vars(module).get(owner) if owner else module
            try:
                now = code_of(vars(holder).get(name))
            except BaseException:
                now = None
            if now is not code and now != code and not (
                any(now is one for one in self._allowed) and now.co_name == code.co_name
            ):
                found.append(entry)
        return found

    def restore(self, entries):
        for module, owner, name, value, code in entries:
            try:
                function = getattr(value, "__func__", getattr(value, "fget", value))
                if function.__code__ is not code:
                    function.__code__ = code
                setattr(vars(module)[owner] if owner else module, name, value)
            except BaseException:
                pass  # It is told of again with the next test.


def named(entries):
    names = [".".join(filter(None, (module.__name__, owner, name))) for module, owner, name, _, _ in entries[:3]]
    return "code under test replaced " + ", ".join(names)


def parts(path, base=()):
    """The parts of a path, seen from a folder given by its own."""
    found = [] if path.startswith("/") else list(base)
    for part in path.split("/"):
        if part == "..":
            found = found[:-1]
        elif part not in ("", "."):
            found.append(part)
    return found


class Reporter:
    """What pytest tells its plugins, as lines."""

    def __init__(self, writer, root, pytest):
        self._writer = writer
        self._root = self._base = parts(root)
        self._watch = None
        self._told = {}
        realpath = os.path.realpath

        def begin(early_config, parser, args):
            # Every installed plugin is loaded, no conftest.py is.
            modules = [sys.modules[name] for name in WATCHED if name in sys.modules]
            kind = type(sys)
            plugins = [p for p in early_config.pluginmanager.get_plugins() if isinstance(p, kind)]
            own = ("_pytest", "pluggy", "pytest", "__main__")
            self._watch = Watch(modules, [p for p in plugins if p.__name__.split(".")[0] not in own])

        def configure(config):
            self._base = parts(realpath(str(config.rootpath)))

        self.pytest_load_initial_conftests = pytest.hookimpl(tryfirst=True)(begin)
        self.pytest_configure = configure

    def _id(self, nodeid):
        path, sep, rest = nodeid.partition("::")
        path, root = parts(path, self._base), self._root
        same = 0
        while same < min(len(path), len(root)) and path[same] == root[same]:
            same += 1
        return fitted(("/".join([".."] * (len(root) - same) + path[same:]) or ".") + sep + rest)

    def _look(self):
        return self._watch.changed() if self._watch else []

    def pytest_collection_finish(self, session):
        entries = self._look()
        if entries:
            self._writer.line(tamper=named(entries))

    def pytest_runtest_logreport(self, report):
        name = self._id(report.nodeid)
        status = report.outcome
        if hasattr(report, "wasxfail"):
            status = "expected_failure" if report.skipped else "unexpected_pass"
        elif report.failed and report.when != "call":
            status = "errored"
        message = "" if status == "passed" else said(report.longrepr)
        self._writer.line(
            id=name, phase=report.when, status=str(status), seconds=report.duration, message=message
        )
        entries = self._look()
        if entries and name not in self._told:
            self._told[name] = True
            self._writer.line(tamper=named(entries), id=name)
        if entries and report.when == "teardown":
            # What a test leaves behind is not to decide over the next.
            self._watch.restore(entries)

    def pytest_collectreport(self, report):
        if report.failed:
            self._writer.line(problem="collect {}: {}".format(self._id(report.nodeid), said(report.longrepr)))

    def pytest_internalerror(self, excrepr):
        self._writer.line(problem="pytest broke: " + said(excrepr))

    def finish(self):
        entries = self._look()
        if entries:
            self._writer.line(tamper=named(entries))


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
    try:
        code = int(pytest.main(arguments, plugins=[reporter]))
    except BaseException as error:
        # What tests leave behind, such as a closed standard output, can end pytest itself.
        writer.line(problem="pytest broke: " + type(error).__name__ + ": " + said(error))
        code = 1
    reporter.finish()
    writer.close(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    # Not by way of exit handlers, which belong to the code under test.
    _exit(code)


if __name__ == "__main__":
    main()
