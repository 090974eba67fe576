"""Where work orders are kept."""

from . import rules


class AlreadyStored(ValueError):
    """The number of an order is taken."""

    def __init__(self, number):
        super().__init__(f"{number} is stored already")
        self.number = number


class Store:
    """Work orders by their number, in memory."""

    def __init__(self):
        self._orders = {}

    def put(self, order):
        if order.number in self._orders:
            raise AlreadyStored(order.number)
        self._orders[order.number] = order

    def get(self, number):
        return self._orders.get(number)

    def find(self, text):
        """Orders for what somebody typed: a number, a phone number, or a part of the customer's name."""
        text = text.strip()
        if rules.is_order_number(text):
            found = [self._orders.get(text)]
        elif rules.is_phone(text):
            found = [o for o in self._orders.values() if _digits(o.customer.phone) == _digits(text)]
        elif rules.is_not_blank(text):
            found = [o for o in self._orders.values() if text.lower() in o.customer.name.lower()]
        else:
            found = []
        return sorted((o for o in found if o), key=lambda o: (o.priority, o.created_at))

    def __iter__(self):
        return iter(self._orders.values())

    def __len__(self):
        return len(self._orders)


def _digits(text):
    return "".join(c for c in text if c.isdigit())
