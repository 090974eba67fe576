"""Delivery zones of postcodes, and what parcels to them cost."""

from .directory import DirectoryError, DirectoryFile
from .lookup import ZoneLookup
from .model import Parcel, SourceUnavailable, Surcharge, UnknownPostcode, Zone
from .postcode import BadPostcode, normalise
from .quote import Quote, quote

__all__ = [
    "BadPostcode",
    "DirectoryError",
    "DirectoryFile",
    "Parcel",
    "Quote",
    "SourceUnavailable",
    "Surcharge",
    "UnknownPostcode",
    "Zone",
    "ZoneLookup",
    "normalise",
    "quote",
]
