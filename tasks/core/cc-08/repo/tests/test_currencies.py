import pytest

from tillbook import UnknownCurrency, currency
from tillbook.currencies import known


def test_codes_are_found_in_any_case():
    assert currency("eur") is currency("EUR")
    assert currency(currency("JPY")).decimals == 0


def test_units():
    assert [str(currency(code).unit) for code in ("JPY", "EUR", "KWD")] == ["1", "0.01", "0.001"]


@pytest.mark.parametrize("code", ["XXX", "", None, 12])
def test_codes_that_nobody_knows(code):
    with pytest.raises(UnknownCurrency):
        currency(code)


def test_all_codes():
    assert known() == ["CHF", "EUR", "GBP", "JPY", "KWD", "NZD", "SEK", "USD"]
