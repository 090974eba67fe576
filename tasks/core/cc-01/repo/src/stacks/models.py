"""What a catalogue holds."""

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Title:
    """One title; the library may own several copies of it."""

    id: str
    name: str
    author: str
    year: int
    subjects: tuple[str, ...] = field(default=())
    copies: int = 1

    @classmethod
    def from_dict(cls, data):
        """Reads one entry of a catalogue file; a KeyError or ValueError says what is wrong with it."""
        year = int(data["year"])
        copies = int(data.get("copies", 1))
        if copies < 0:
            raise ValueError(f"copies must not be negative: {copies}")
        return cls(
            id=str(data["id"]),
            name=str(data["name"]).strip(),
            author=str(data["author"]).strip(),
            year=year,
            subjects=tuple(sorted({s.strip().lower() for s in data.get("subjects", ())})),
            copies=copies,
        )

    def to_dict(self):
        data = asdict(self)
        data["subjects"] = list(self.subjects)
        return data

    @property
    def sort_name(self):
        """The name as librarians sort it: without its article, and without case."""
        words = self.name.lower().split()
        if len(words) > 1 and words[0] in ("a", "an", "the"):
            words = words[1:]
        return " ".join(words)
