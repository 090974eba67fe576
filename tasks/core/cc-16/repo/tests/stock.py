"""A small stock for tests."""

from sparebin import Part, connect
from sparebin.database import add_part

PARTS = [
    (Part("P-100", "Union nut 15 mm", "plumbing", "Marin Fittings", 240, 40, "brass, for compression joints"), 110),
    (Part("P-101", "Union nut 22 mm", "plumbing", "Marin Fittings", 310, 12, "brass"), 150),
    (Part("P-200", "Drop cable 3 m", "electric", "Weber Kabel", 890, 7, "outdoor, black"), 430),
    (Part("P-300", "Gasket set", "heating", "Oil & Heat", 1250, 3, "for boilers -- all sizes; select one"), 700),
    (Part("P-301", "Thermostat", "heating", "Oil & Heat", 3900, 0, "with display"), 2100),
    (Part("P-400", "Filter bag", "general", "Marin Fittings", 450, 100, "cotton"), None),
]


def stock():
    connection = connect()
    for part, cost in PARTS:
        add_part(connection, part, cost)
    return connection
