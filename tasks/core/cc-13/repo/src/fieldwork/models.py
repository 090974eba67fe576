"""What the depot works with."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Customer:
    """Somebody who waits for a technician."""

    name: str
    phone: str
    street: str | None = None


@dataclass(frozen=True)
class Visit:
    """A technician at a customer's."""

    begin: datetime
    length: timedelta
    technician: str

    @property
    def end(self):
        return self.begin + self.length

    def overlaps(self, other):
        return self.technician == other.technician and self.begin < other.end and other.begin < self.end


@dataclass(frozen=True)
class WorkOrder:
    """What a partner wants done."""

    number: str
    created_at: datetime
    customer: Customer
    visits: tuple[Visit, ...]
    priority: int = 3
    skills: tuple[str, ...] = field(default=())
    reference: str | None = None
    notes: str | None = None
