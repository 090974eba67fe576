"""The file that everything is in."""

import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS suppliers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS agreements (
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    number TEXT NOT NULL,
    cost INTEGER NOT NULL,
    PRIMARY KEY (supplier_id, number)
);
CREATE TABLE IF NOT EXISTS parts (
    number TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
    price INTEGER NOT NULL CHECK (price >= 0),
    stock INTEGER NOT NULL DEFAULT 0,
    description TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS parts_by_category ON parts (category);
CREATE TABLE IF NOT EXISTS searches (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL
);
"""


def connect(path=":memory:"):
    """A connection to a file, with all tables in it."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(SCHEMA)
    return connection


def add_supplier(connection, name):
    """The id of a supplier, who is added if need be."""
    with connection:
        connection.execute("INSERT OR IGNORE INTO suppliers (name) VALUES (?)", (name,))
    return connection.execute("SELECT id FROM suppliers WHERE name = ?", (name,)).fetchone()[0]


def add_part(connection, part, cost=None):
    """Adds a part, and what it costs us if that is known."""
    supplier = add_supplier(connection, part.supplier)
    with connection:
        connection.execute(
            "INSERT INTO parts (number, name, category, supplier_id, price, stock, description) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (part.number, part.name, part.category, supplier, part.price, part.stock, part.description),
        )
        if cost is not None:
            connection.execute("INSERT INTO agreements VALUES (?, ?, ?)", (supplier, part.number, cost))


def book(connection, number, change):
    """Changes the stock of a part; a stock below zero is a ValueError."""
    with connection:
        row = connection.execute("SELECT stock FROM parts WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise LookupError(f"no part {number!r}")
        if row[0] + change < 0:
            raise ValueError(f"only {row[0]} of {number!r} are there")
        connection.execute("UPDATE parts SET stock = stock + ? WHERE number = ?", (change, number))
