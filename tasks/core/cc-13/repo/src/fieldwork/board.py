"""What the wall board shows."""

import json
from datetime import date

from .schedule import visits_on
from .schemas import BoardSchema


class Board:
    """The board of a depot."""

    def __init__(self, store, base_url):
        self._store = store
        self._schema = BoardSchema(context={"base_url": base_url.rstrip("/")})

    def day(self, day):
        """The JSON text for a day, a `date` or a text such as `2026-03-03`."""
        if isinstance(day, str):
            day = date.fromisoformat(day)
        rows = [
            {
                "order": order.number,
                "visit": position,
                "technician": visit.technician,
                "begin": visit.begin,
                "length": visit.length,
                "customer": order.customer.name,
                "reference": order.reference,
                "notes": order.notes,
            }
            for order, position, visit in visits_on(self._store, day)
        ]
        return json.dumps(self._schema.dump({"day": day, "visits": rows}), ensure_ascii=False)
