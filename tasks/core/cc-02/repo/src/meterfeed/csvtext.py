"""From the text of a CSV file to a table."""

from dataclasses import dataclass
from pathlib import Path

DELIMITERS = ",;\t|"
BOM = "\ufeff"


class CsvError(ValueError):
    """The text is not a table. `line` is the line that is at fault, counted from 1, where there is one."""

    def __init__(self, message, line=None):
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


@dataclass(frozen=True)
class Record:
    """The cells of one record, and the line it begins on."""

    line: int
    cells: tuple[str, ...]

    @property
    def is_blank(self):
        return len(self.cells) == 1 and not self.cells[0].strip()


@dataclass
class Table:
    """Rows by the names of their columns; `lines` says on which line of the text each row begins."""

    columns: tuple[str, ...]
    rows: list[dict[str, str]]
    lines: list[int]

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)


def read_table(path, delimiter=None):
    """The table in a file."""
    return parse(decode(Path(path).read_bytes()), delimiter)


def decode(data):
    """Text of a file: UTF-8, or else Windows-1252."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def parse(text, delimiter=None):
    """The table in a text; the first record names the columns."""
    text = text.removeprefix(BOM)
    if delimiter is None:
        delimiter = detect_delimiter(text)
    records = [record for record in split_records(text, delimiter) if not record.is_blank]
    columns = _columns(records[0])
    rows, lines = [], []
    for record in records[1:]:
        if len(record.cells) != len(columns):
            raise CsvError(f"{len(record.cells)} cells where the header has {len(columns)}", record.line)
        rows.append(dict(zip(columns, record.cells)))
        lines.append(record.line)
    return Table(columns, rows, lines)


def detect_delimiter(text):
    """The delimiter that occurs most often, outside of quotes, in the first line; a comma where none does."""
    counts = dict.fromkeys(DELIMITERS, 0)
    quoted = False
    for char in text.lstrip("\r\n").splitlines()[0]:
        if char == '"':
            quoted = not quoted
        elif not quoted and char in counts:
            counts[char] += 1
    return max(DELIMITERS, key=lambda d: counts[d])


def split_records(text, delimiter):
    """The records of a text, as RFC 4180 has them; `\\n`, `\\r\\n` and `\\r` end one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    records, cells, cell = [], [], []
    line = begin = 1
    quoted = closed = False
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if quoted:
            if char == '"' and text[at : at + 1] == '"':
                cell.append('"')
                at += 1
            elif char == '"':
                quoted, closed = False, True
            else:
                line += char == "\n"
                cell.append(char)
        elif char == '"' and not cell and not closed:
            quoted = True
        elif char == delimiter:
            cells.append("".join(cell))
            cell, closed = [], False
        elif char == "\n":
            records.append(Record(begin, (*cells, "".join(cell))))
            cells, cell, closed = [], [], False
            line += 1
            begin = line
        elif closed and not char.isspace():
            raise CsvError("text after the end of a quoted cell", line)
        elif not closed:
            cell.append(char)
    if quoted:
        raise CsvError("a quote is never closed", begin)
    if cells or cell or closed:
        records.append(Record(begin, (*cells, "".join(cell))))
    return records


def _columns(header):
    names = tuple(cell.strip() for cell in header.cells)
    for position, name in enumerate(names, start=1):
        if not name:
            raise CsvError(f"column {position} has no name", header.line)
    if len({name.lower() for name in names}) < len(names):
        raise CsvError("two columns have the same name", header.line)
    return names
