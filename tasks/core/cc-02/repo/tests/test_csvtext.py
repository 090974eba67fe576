import pytest

from meterfeed import CsvError, parse
from meterfeed.csvtext import decode, detect_delimiter


def test_rows_by_column():
    table = parse("a,b\n1,2\n3,4\n")
    assert table.columns == ("a", "b")
    assert list(table) == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert table.lines == [2, 3]


@pytest.mark.parametrize("text", ["a,b\n1,2", "a,b\r\n1,2\r\n", "a,b\r1,2\r", "\ufeffa,b\n1,2\n", "\n\na,b\n\n1,2\n \n"])
def test_ends_of_lines_and_blank_lines(text):
    assert list(parse(text)) == [{"a": "1", "b": "2"}]


def test_quotes():
    table = parse('name,note\n"Low, H.","said ""no"""\nx,"two\nlines"\ny,""\n')
    assert [row["note"] for row in table] == ['said "no"', "two\nlines", ""]
    assert table.rows[0]["name"] == "Low, H."
    assert table.lines == [2, 3, 5]


def test_a_header_alone_is_a_table_without_rows():
    table = parse("meter;value\n")
    assert table.columns == ("meter", "value")
    assert len(table) == 0


@pytest.mark.parametrize(("line", "delimiter"), [("a;b,c;d", ";"), ("a\tb", "\t"), ('"a;b;c",d', ","), ("a", ","), ("a|b", "|")])
def test_the_delimiter_is_found(line, delimiter):
    assert detect_delimiter(line + "\nx") == delimiter


@pytest.mark.parametrize(
    ("text", "line"),
    [("a,b\n1\n", 2), ("a,b\n\n1,2,3\n", 3), ("a,\n1,2\n", 1), ("a,A\n1,2\n", 1), ('a,b\n"1,2\n', 2), ('a\n"1"2\n', 2)],
)
def test_what_is_not_a_table(text, line):
    with pytest.raises(CsvError) as caught:
        parse(text)
    assert caught.value.line == line


def test_encodings():
    assert decode("Zähler".encode()) == "Zähler"
    assert decode(b"\xef\xbb\xbfa") == "a"
    assert decode("Zähler".encode("cp1252")) == "Zähler"
