from datetime import timedelta

import pytest

from fieldwork import rules


@pytest.mark.parametrize(("text", "good"), [("WO-2041", True), ("WO-12345678", True), ("WO-1", False), ("wo-2041", False), ("WO-2041 ", False)])
def test_order_numbers(text, good):
    assert rules.is_order_number(text) is good


@pytest.mark.parametrize(("text", "good"), [("+44 20 7946", True), ("020794", True), ("12345", False), ("phone", False), ("", False)])
def test_phones(text, good):
    assert rules.is_phone(text) is good


def test_other_rules():
    assert rules.is_skill("gas") and not rules.is_skill("Gas")
    assert rules.is_priority(1) and rules.is_priority(5) and not rules.is_priority(6)
    assert rules.is_length(timedelta(minutes=5)) and not rules.is_length(timedelta(minutes=601))
    assert rules.is_not_blank("a") and not rules.is_not_blank(" \n")
