"""What the other modules talk about."""

from dataclasses import dataclass, field
from decimal import Decimal


class UnknownPostcode(LookupError):
    """The directory has no zone for a postcode."""

    def __init__(self, key):
        super().__init__(f"no zone for {key}")
        self.key = key


class SourceUnavailable(RuntimeError):
    """The directory could not be asked."""


@dataclass(frozen=True)
class Surcharge:
    """Something that costs extra."""

    name: str
    amount: Decimal


@dataclass
class Zone:
    """A delivery zone with its prices."""

    code: str
    base: Decimal
    per_kg: Decimal
    surcharges: list[Surcharge] = field(default_factory=list)


@dataclass(frozen=True)
class Parcel:
    """Something to send."""

    postcode: str
    kg: Decimal
    bulky: bool = False

    def __post_init__(self):
        object.__setattr__(self, "kg", Decimal(self.kg))
        if self.kg <= 0:
            raise ValueError(f"a parcel weighs something, not {self.kg} kg")
