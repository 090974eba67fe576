"""A measured table and the ratios that are claimed of it."""

from dataclasses import dataclass, field

MEGA = 1e6


@dataclass
class Claim:
    """A ratio that the project promises: its value, its bound, and which way it must go; without a bound it is told, not promised."""
    words: str
    value: float
    bound: float | None
    least: bool = True
    unit: str = ""

    def met(self):
        return self.bound is None or (self.value >= self.bound if self.least else self.value <= self.bound)


@dataclass
class Figure:
    """One table of BENCH.md."""
    title: str
    words: str
    rows: list = field(default_factory=list)  # (Series, note)
    claims: list = field(default_factory=list)
