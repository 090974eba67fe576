"""What a search is about."""

from dataclasses import asdict, dataclass, field


class BadQuery(ValueError):
    """A search that makes no sense."""


class NoSuchSearch(LookupError):
    """No search was saved under a name."""

    def __init__(self, name):
        super().__init__(f"no search is saved as {name!r}")
        self.name = name


@dataclass(frozen=True)
class Part:
    """A spare part; the price is in cents."""

    number: str
    name: str
    category: str
    supplier: str
    price: int
    stock: int
    description: str = ""

    def to_dict(self):
        return asdict(self)


@dataclass(frozen=True)
class SearchQuery:
    """What is looked for."""

    term: str = ""
    categories: list[str] = field(default_factory=list)
    supplier: str | None = None
    min_price: int | str | None = None
    max_price: int | str | None = None
    sort: str = "name"
    limit: int | str = 20
    offset: int | str = 0

    def to_dict(self):
        return asdict(self)
