"""Runs grade.py of the folder it is started in, and sends its scorecard over a pipe: see tsbench_run.py.

Only what grade.py itself prints counts, told by the frame that prints; a text of the code under test is passed on to
standard error. The process ends without running anything that was registered for its end.
"""

import hashlib
import hmac
import os
import runpy
import sys
import traceback


class Output:
    """Standard output: keeps what the grader prints, and passes on the rest."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, grader, work, err):
        self.grader, self.work, self.err, self.kept = grader, work + os.sep, err, []

    def write(self, text):
        frame = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if name == self.grader:
                self.kept.append(text)
                return len(text)
            if name.startswith(self.work):
                break
            frame = frame.f_back
        self.err.write(text)
        return len(text)

    def flush(self):
        self.err.flush()

    def isatty(self):
        return False

    def last(self):
        lines = "".join(self.kept).rstrip().splitlines()
        return lines[-1] if lines else ""


def main():
    pipe = int(sys.argv[1])
    code = hmac.new(sys.stdin.buffer.read(), digestmod=hashlib.sha256)
    os.set_inheritable(pipe, False)
    work = os.getcwd()
    grader = os.path.join(work, "grade.py")
    sys.stdin = open(os.devnull, encoding="utf-8")
    out = sys.stdout = Output(grader, work, sys.stderr)
    sys.argv = ["grade.py"]
    sys.path.insert(0, work)
    last, write, leave = out.last, os.write, os._exit
    try:
        runpy.run_path(grader, run_name="__main__")
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    card = last().encode()
    code.update(card)
    data = code.hexdigest().encode() + b"\n" + card + b"\n"
    while data:
        data = data[write(pipe, data):]
    leave(0)


main()
