"""Opening hours of shops as text, and whether one is open."""

from .hours import OpeningHours, Span
from .parser import HoursError, parse

__all__ = ["HoursError", "OpeningHours", "Span", "parse"]
