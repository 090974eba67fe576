"""Finding titles."""

import re
import unicodedata

SORTS = {
    "name": lambda title: (title.sort_name, title.year),
    "author": lambda title: (title.author.lower(), title.sort_name),
    "year": lambda title: (title.year, title.sort_name),
}

WORD = re.compile(r"\w+")


def search(catalogue, query="", *, subject=None, author=None, sort="name"):
    """Titles in which every word of the query begins a word of the name or of the author."""
    if sort not in SORTS:
        raise ValueError(f"cannot sort by {sort!r}; known: {', '.join(sorted(SORTS))}")
    wanted = words(query)
    found = [title for title in catalogue if _matches(title, wanted, subject, author)]
    return sorted(found, key=SORTS[sort])


def words(text):
    """Lower-case words without accents."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return WORD.findall(plain.lower())


def _matches(title, wanted, subject, author):
    if subject is not None and subject.strip().lower() not in title.subjects:
        return False
    if author is not None and words(author) != words(title.author):
        return False
    present = words(title.name) + words(title.author)
    return all(any(word.startswith(w) for word in present) for w in wanted)
