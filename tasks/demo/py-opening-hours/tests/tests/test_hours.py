from datetime import datetime

import pytest

from openhours import HoursError, parse


# What is compared is a plain value: an object of the code under test could say of itself that it is anything.
def is_open(hours, moment):
    found = hours.is_open(moment)
    assert type(found) in (bool, int, type(None))
    return bool(found)


def next_change(hours, moment):
    found = hours.next_change(moment)
    assert type(found) in (datetime, type(None))
    return found


BAKERY = parse("Mo-Fr 07:00-18:30; Sa 07:00-13:00")


def at(day, hour, minute=0):
    # 2 March 2026 is a Monday.
    return datetime(2026, 3, 1 + day, hour, minute)


@pytest.mark.parametrize("moment", [at(1, 7), at(3, 18, 29), at(6, 12, 59)])
def test_it_is_open_within_its_hours(moment):
    assert is_open(BAKERY, moment)


@pytest.mark.parametrize("moment", [at(1, 6, 59), at(3, 18, 30), at(6, 13), at(7, 10)])
def test_it_is_closed_outside_its_hours(moment):
    assert not is_open(BAKERY, moment)


def test_days_may_go_over_the_end_of_the_week():
    hours = parse("Sa-Mo 10:00-12:00")
    assert [is_open(hours, at(day, 11)) for day in range(1, 8)] == [True, False, False, False, False, True, True]


def test_a_break_at_noon():
    hours = parse("Tu 09:00-12:00,13:00-17:00")
    assert is_open(hours, at(2, 11)) and not is_open(hours, at(2, 12)) and is_open(hours, at(2, 13))


def test_the_next_change_of_a_day():
    assert next_change(BAKERY, at(1, 8)) == at(1, 18, 30)
    assert next_change(BAKERY, at(6, 14)) == at(8, 7)


def test_hours_that_never_change():
    assert next_change(parse(""), at(1, 8)) is None


@pytest.mark.parametrize("text", ["Mo", "Xx 10:00-12:00", "Mo 10:00", "Mo 25:00-26:00", "Mo 10:75-11:00"])
def test_text_that_makes_no_sense(text):
    with pytest.raises(HoursError):
        parse(text)


BAR = parse("Fr-Sa 20:00-03:00")


def test_a_night_goes_on_after_midnight():
    assert is_open(BAR, at(5, 23))
    assert is_open(BAR, at(6, 2, 59))
    assert is_open(BAR, at(7, 0))
    assert not is_open(BAR, at(7, 3))


def test_a_night_does_not_begin_in_the_morning_of_its_first_day():
    assert not is_open(BAR, at(5, 2))


def test_a_night_goes_over_the_end_of_the_week():
    hours = parse("Su 22:00-04:00")
    assert is_open(hours, at(8, 3, 59))
    assert not is_open(hours, at(8, 4))
    assert not is_open(hours, at(7, 3))


def test_the_next_change_in_a_night():
    assert next_change(BAR, at(5, 23)) == at(6, 3)
    assert next_change(BAR, at(6, 1)) == at(6, 3)
    assert next_change(BAR, at(7, 1)) == at(7, 3)


def test_a_night_that_meets_the_morning_is_one_time():
    hours = parse("Fr 20:00-02:00; Sa 02:00-09:00")
    assert next_change(hours, at(5, 21)) == at(6, 9)
