"""What a parcel costs."""

from dataclasses import dataclass
from decimal import Decimal

from .model import Surcharge

HEAVY = Decimal(20)
HEAVY_SURCHARGE = Surcharge("heavy", Decimal("3.50"))
BULKY_SURCHARGE = Surcharge("bulky", Decimal("5.00"))
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Quote:
    """A price and what it is made of."""

    zone: str
    total: Decimal
    surcharges: tuple[Surcharge, ...]


def quote(lookup, parcel):
    """The price of one parcel."""
    return price(lookup.find(parcel.postcode), parcel)


def quote_many(lookup, parcels):
    """The prices of many parcels in their order; None for one that cannot be delivered."""
    parcels = list(parcels)
    zones = lookup.find_many([parcel.postcode for parcel in parcels])
    return [quote(lookup, parcel) if parcel.postcode in zones else None for parcel in parcels]


def price(zone, parcel):
    """The price of a parcel to a zone."""
    surcharges = zone.surcharges
    if parcel.kg > HEAVY:
        surcharges.append(HEAVY_SURCHARGE)
    if parcel.bulky:
        surcharges.append(BULKY_SURCHARGE)
    total = zone.base + zone.per_kg * parcel.kg + sum((s.amount for s in surcharges), Decimal(0))
    return Quote(zone.code, total.quantize(CENT), tuple(surcharges))
