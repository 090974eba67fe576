"""Runs a suite beside one version of the code: `python -I -S run_suite.py PACKAGES SCRATCH`, exit code of pytest.

Nothing is loaded from the tree of the patch, and pytest loads neither plugins nor files of its own accord.
"""

import sys


def main():
    packages, scratch = sys.argv[1:]
    sys.path[:0] = [scratch]
    sys.path.append(packages)
    import pytest

    sys.exit(
        int(
            pytest.main(
                [
                    "-q",
                    "--tb=line",
                    "--color=no",
                    "--noconftest",
                    "--import-mode=importlib",
                    "-p",
                    "no:cacheprovider",
                    f"--rootdir={scratch}",
                    f"--confcutdir={scratch}",
                    "-c",
                    f"{scratch}/pytest.ini",
                    f"--junitxml={scratch}/report.xml",
                    f"{scratch}/tests/test_rounding.py",
                ]
            )
        )
    )


if __name__ == "__main__":
    main()
