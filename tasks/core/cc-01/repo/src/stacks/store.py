"""Catalogue files."""

import json
from pathlib import Path

from .models import Title


class CatalogueError(Exception):
    """A catalogue file that cannot be used."""


class Catalogue:
    """Titles, each id once, in the order of the file."""

    def __init__(self, titles=()):
        self._titles = {}
        for title in titles:
            self.add(title)

    @classmethod
    def load(cls, path):
        path = Path(path)
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise CatalogueError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise CatalogueError(f"{path}: not JSON: {error}") from error
        if not isinstance(entries, list):
            raise CatalogueError(f"{path}: expected a list of titles")
        titles = []
        for position, entry in enumerate(entries, start=1):
            try:
                titles.append(Title.from_dict(entry))
            except KeyError as error:
                raise CatalogueError(f"{path}: title {position} lacks {error}") from error
            except (TypeError, ValueError) as error:
                raise CatalogueError(f"{path}: title {position}: {error}") from error
        return cls(titles)

    def add(self, title):
        if title.id in self._titles:
            raise CatalogueError(f"the id {title.id!r} is taken")
        self._titles[title.id] = title

    def get(self, id):
        return self._titles.get(id)

    def subjects(self):
        """All subjects with the number of titles in each."""
        counts = {}
        for title in self:
            for subject in title.subjects:
                counts[subject] = counts.get(subject, 0) + 1
        return dict(sorted(counts.items()))

    def __iter__(self):
        return iter(self._titles.values())

    def __len__(self):
        return len(self._titles)
