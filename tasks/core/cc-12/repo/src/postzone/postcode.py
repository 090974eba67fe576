"""Postcodes as people write them."""

import re

FORM = re.compile(r"^([A-Z]{1,2}[0-9][A-Z0-9]?)([0-9][A-Z]{2})$")


class BadPostcode(ValueError):
    """A text that cannot be a postcode."""

    def __init__(self, text):
        super().__init__(f"not a postcode: {text!r}")
        self.text = text


def normalise(text):
    """Upper case with one space: `sw1a1aa` becomes `SW1A 1AA`."""
    match = FORM.match("".join(text.split()).upper())
    if not match:
        raise BadPostcode(text)
    return f"{match[1]} {match[2]}"


def prefixes(key):
    """What a directory may list a postcode under, the longest first: outward code, then less and less of it."""
    outward = key.split(" ")[0]
    return [outward[:length] for length in range(len(outward), 0, -1)]
