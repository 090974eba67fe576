"""Who has to be where."""

from itertools import combinations


def visits_on(orders, day):
    """Visits that begin on a day, as (order, position from 1, visit), by time and then technician."""
    rows = [
        (order, position, visit)
        for order in orders
        for position, visit in enumerate(order.visits, start=1)
        if visit.begin.date() == day
    ]
    return sorted(rows, key=lambda row: (row[2].begin, row[2].technician))


def clashes(orders):
    """Pairs of visits for which a technician would have to be in two places, as ((order, position), (order, position))."""
    rows = [(order, position, visit) for order in orders for position, visit in enumerate(order.visits, start=1)]
    found = []
    for (order, at, visit), (other, other_at, other_visit) in combinations(rows, 2):
        if visit.overlaps(other_visit):
            found.append(((order.number, at), (other.number, other_at)))
    return found
