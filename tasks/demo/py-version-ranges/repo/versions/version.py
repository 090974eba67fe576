"""One version."""

import re
from functools import total_ordering

PATTERN = re.compile(r"^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$")


@total_ordering
class Version:
    """A version: three numbers and, for what comes before a release, identifiers."""

    def __init__(self, text):
        match = PATTERN.match(text.strip())
        if not match:
            raise ValueError(f"not a version: {text!r}")
        self.numbers = tuple(int(part or 0) for part in match.group(1, 2, 3))
        self.parts = tuple(match[4].split(".")) if match[4] else ()

    def _key(self):
        return (self.numbers, self.parts)

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        text = ".".join(map(str, self.numbers))
        return f"Version({text}{'-' if self.parts else ''}{'.'.join(self.parts)})"


def compare(left, right):
    """-1, 0 or 1: how one version stands to another."""
    left, right = Version(left), Version(right)
    return (left > right) - (left < right)
