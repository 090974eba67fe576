"""From postcodes as people write them to zones."""

from .postcode import normalise


class ZoneLookup:
    """Finds zones in a source."""

    def __init__(self, source):
        self._source = source

    def find(self, postcode):
        """The zone of a postcode; UnknownPostcode if the directory has none."""
        return self._source.fetch(normalise(postcode))

    def find_many(self, postcodes):
        """The zones of many postcodes, by the postcode as it was given; those without a zone are left out."""
        keys = {postcode: normalise(postcode) for postcode in postcodes}
        if not keys:
            return {}
        found = self._source.fetch_many(sorted(set(keys.values())))
        return {postcode: found[key] for postcode, key in keys.items() if key in found}
