"""Semantic versions and ranges of them."""

from .ranges import satisfies
from .version import Version, compare

__all__ = ["Version", "compare", "satisfies"]
