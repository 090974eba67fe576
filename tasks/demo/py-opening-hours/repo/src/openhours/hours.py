"""Rules, and what they say about a moment."""

from dataclasses import dataclass
from datetime import datetime, timedelta

DAY = 24 * 60


@dataclass(frozen=True)
class Span:
    """One span of a week: a day (0 is Monday), and minutes of that day. An end before the begin is on the next day."""

    day: int
    begin: int
    end: int

    @property
    def length(self):
        """Minutes from begin to end."""
        if self.end > self.begin:
            return self.end - self.begin
        return self.end + DAY - self.begin


class OpeningHours:
    """A week of spans."""

    def __init__(self, spans):
        self.spans = tuple(sorted(spans, key=lambda s: (s.day, s.begin)))

    def is_open(self, moment):
        """Whether the place is open at a moment."""
        minute = moment.hour * 60 + moment.minute
        for span in self.spans:
            if span.day == moment.weekday():
                if span.begin <= minute < span.begin + span.length:
                    return True
        return False

    def next_change(self, moment):
        """The next moment at which the place opens or closes; None if it never does."""
        now = self.is_open(moment)
        day = datetime(moment.year, moment.month, moment.day)
        edges = set()
        for offset in range(8):
            date = day + timedelta(days=offset)
            for span in self.spans:
                if span.day == date.weekday():
                    begin = date + timedelta(minutes=span.begin)
                    edges.add(begin)
                    edges.add(begin + timedelta(minutes=span.length))
        for edge in sorted(edges):
            if edge > moment and self.is_open(edge) != now:
                return edge
        return None
