from decimal import Decimal

import pytest

from tillbook import Line, Receipt


def test_an_empty_receipt():
    receipt = Receipt("EUR", tax_rate="0.07")
    assert (receipt.net, receipt.tax, receipt.gross) == (0, 0, 0)


def test_a_receipt_adds_up():
    receipt = Receipt("EUR", tax_rate="0.2")
    receipt.add(Line("Coffee", "2.50", 2))
    receipt.add(Line("Cake", "3.00"))
    assert receipt.gross == Decimal("9.60")


def test_it_is_printed():
    receipt = Receipt("CHF", tax_rate="0.1")
    receipt.add(Line("Tea", "1.20"))
    assert receipt.render(20) == "\n".join(
        ["Tea             1.20", "Net             1.20", "Tax             0.12", "Total CHF       1.32", "In cash         1.30"]
    )


def test_a_line_needs_a_name():
    with pytest.raises(ValueError):
        Receipt("EUR").add(Line(" ", "1"))
