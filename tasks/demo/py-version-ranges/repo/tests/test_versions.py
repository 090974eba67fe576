import pytest

from versions import compare, satisfies


def test_numbers_are_numbers():
    assert compare("1.2.0", "1.10.0") == -1
    assert compare("2", "1.9.9") == 1
    assert compare("v1.2", "1.2.0") == 0


def test_ranges():
    assert satisfies("1.4.2", "^1.2.0")
    assert not satisfies("2.0.0", "^1.2.0")
    assert satisfies("1.2.9", "~1.2.3")
    assert not satisfies("1.3.0", "~1.2.3")
    assert satisfies("1.4.2", ">=1.2 <2.0")


def test_text_that_is_no_version():
    with pytest.raises(ValueError):
        compare("one", "1.0.0")
