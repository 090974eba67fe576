"""Ranges of versions."""

import re

from .version import Version

CONDITION = re.compile(r"^(\^|~|>=|<=|>|<|=)?\s*(\S+)$")


def satisfies(version, text):
    """Whether a version lies in a range; an empty range holds every version."""
    version = Version(version)
    return all(_holds(version, condition) for condition in text.split())


def _holds(version, condition):
    match = CONDITION.match(condition)
    if not match:
        raise ValueError(f"not a condition: {condition!r}")
    operator, bound = match[1] or "=", Version(match[2])
    if operator == "^":
        return bound <= version and version.numbers < _caret(bound)
    if operator == "~":
        major, minor, _ = bound.numbers
        return bound <= version and version.numbers < (major, minor + 1, 0)
    return {
        "=": version == bound,
        "<": version < bound,
        "<=": version <= bound,
        ">": version > bound,
        ">=": version >= bound,
    }[operator]


def _caret(bound):
    major, _, _ = bound.numbers
    return (major + 1, 0, 0)
