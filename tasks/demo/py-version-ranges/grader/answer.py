"""Answers questions by the code under test: the tree as its argument, JSON in, JSON out. The grader hands this text to an
interpreter, so that the process that runs it knows of no folder of the grader."""

import json
import os
import sys


def main():
    questions = json.load(sys.stdin)
    # What the code under test prints goes to standard error.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.append(sys.argv[1])
    import versions

    answers = []
    for name, *arguments in questions:
        try:
            answers.append(getattr(versions, name)(*arguments))
        except Exception as error:
            answers.append(type(error).__name__)
    json.dump(answers, out)
    out.close()


if __name__ == "__main__":
    main()
