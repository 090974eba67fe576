"""From text to rules."""

import re

from .hours import DAY, OpeningHours, Span

DAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
TIME = re.compile(r"^(\d{1,2}):(\d{2})$")


class HoursError(ValueError):
    """The text is not a list of opening hours."""


def parse(text):
    """Reads rules such as ``Mo-Fr 09:00-17:00; Sa 10:00-12:00,13:00-15:00``."""
    spans = []
    for rule in text.split(";"):
        rule = rule.strip()
        if not rule:
            continue
        try:
            days, times = rule.split(None, 1)
        except ValueError:
            raise HoursError(f"a rule needs days and times: {rule!r}") from None
        for day in _days(days):
            for begin, end in _times(times):
                spans.append(Span(day, begin, end))
    return OpeningHours(spans)


def _days(text):
    for part in text.split(","):
        first, dash, last = part.partition("-")
        begin = _day(first)
        end = _day(last) if dash else begin
        day = begin
        yield day
        while day != end:
            day = (day + 1) % 7
            yield day


def _day(name):
    try:
        return DAYS.index(name)
    except ValueError:
        raise HoursError(f"unknown day {name!r}") from None


def _times(text):
    for part in text.split(","):
        begin, dash, end = part.strip().partition("-")
        if not dash:
            raise HoursError(f"a time needs a begin and an end: {part!r}")
        yield _minutes(begin), _minutes(end)


def _minutes(text):
    match = TIME.match(text.strip())
    if not match:
        raise HoursError(f"not a time: {text!r}")
    minutes = int(match[1]) * 60 + int(match[2])
    if minutes > DAY or int(match[2]) > 59:
        raise HoursError(f"not a time of day: {text!r}")
    return minutes
