"""Runs a suite beside one version of the code: the arguments PACKAGES SCRATCH, the exit code of pytest. The grader hands
this text to an interpreter, so that the process that runs it knows of no folder of the grader.

Nothing is loaded from the tree of the patch, and pytest loads neither plugins nor files of its own accord. A suite may
write in its folder alone, which is gone afterwards, starts no processes and does not look into others: what it found out
beside one version it cannot use beside another.
"""

import os
import sys

# Events of Python that change what is on a disk; their first one or two arguments are paths.
CHANGES = {
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.setxattr"),
    *("os.symlink", "os.truncate", "os.utime"),
}
PROCESSES = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.", "socket.", "ctypes.")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(scratch):
    """Refuses the rest of this process what a suite has no need of."""

    def within(path, folder):
        path = os.path.realpath(os.fsdecode(path))
        return path == folder or path.startswith(folder + os.sep)

    def refuse(event, arguments):
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, (str, bytes, os.PathLike)):
                return
            written = isinstance(flags, int) and flags & WRITING and not within(path, "/dev")
            bad = written and not within(path, scratch) or within(path, "/proc")
        elif event in CHANGES:
            paths = [a for a in arguments[:2] if isinstance(a, (str, bytes, os.PathLike))]
            bad = not paths or not all(within(path, scratch) for path in paths)
        else:
            bad = event.startswith(PROCESSES)
        if bad:
            raise PermissionError(f"{event}: a suite of tests has no need of this")

    sys.addaudithook(refuse)


def main():
    packages, scratch = sys.argv[1], os.path.realpath(sys.argv[2])
    sys.path[:0] = [scratch]
    sys.path.append(packages)
    import pytest

    arguments = ["-q", "--tb=line", "--color=no", "--noconftest", "--import-mode=importlib", "-p", "no:cacheprovider"]
    arguments += [f"--rootdir={scratch}", f"--confcutdir={scratch}", "-c", f"{scratch}/pytest.ini"]
    arguments += [f"--junitxml={scratch}/report.xml", f"{scratch}/tests/test_rounding.py"]
    confine(scratch)
    sys.exit(int(pytest.main(arguments)))


if __name__ == "__main__":
    main()
