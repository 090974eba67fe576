"""Connections."""

import sqlite3
from contextlib import contextmanager


def connect(path=":memory:"):
    """A connection without transactions of its own accord; see `transaction`."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


@contextmanager
def transaction(connection):
    """All or nothing. Inside of another transaction it is a part of that one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
