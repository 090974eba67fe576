"""Whether something may be what it is said to be."""

import re
from datetime import timedelta

ORDER_NUMBER = re.compile(r"WO-[0-9]{4,8}")
PHONE = re.compile(r"\+?[0-9 ]+")
SKILLS = frozenset({"gas", "electric", "water", "heights"})
SHORTEST = timedelta(minutes=5)
LONGEST = timedelta(minutes=600)


def is_order_number(text):
    return ORDER_NUMBER.fullmatch(text) is not None


def is_phone(text):
    return PHONE.fullmatch(text) is not None and sum(c.isdigit() for c in text) >= 6


def is_skill(text):
    return text in SKILLS


def is_priority(number):
    return 1 <= number <= 5


def is_length(length):
    return SHORTEST <= length <= LONGEST


def is_not_blank(text):
    return bool(text.strip())


def is_not_empty(items):
    return len(items) > 0
