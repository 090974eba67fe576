import pytest

from billbook import MigrationError, connect, current_version, latest_version, migrate
from billbook.cli import main


@pytest.fixture
def connection():
    connection = connect()
    yield connection
    connection.close()


def tables(connection):
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    return [name for (name,) in rows]


def test_from_nothing_to_the_latest(connection):
    assert current_version(connection) == 0
    assert migrate(connection) == list(range(1, latest_version() + 1))
    assert current_version(connection) == latest_version()
    assert tables(connection) == ["customers", "invoice_log", "invoices", "line_archive", "lines", "schema_migrations"]
    assert migrate(connection) == []


def test_down_and_up_again(connection):
    migrate(connection)
    assert migrate(connection, target=1) == list(range(latest_version(), 1, -1))
    assert tables(connection) == ["customers", "invoices", "lines", "schema_migrations"]
    assert migrate(connection, target=0) == [1]
    assert migrate(connection)[-1] == latest_version()


def test_a_version_that_does_not_exist(connection):
    with pytest.raises(ValueError):
        migrate(connection, target=99)


def test_a_migration_that_fails_changes_nothing(connection):
    connection.execute("CREATE TABLE invoice_log (in_the_way)")
    with pytest.raises(MigrationError) as caught:
        migrate(connection)
    assert (caught.value.version, caught.value.direction) == (2, "up")
    assert current_version(connection) == 1
    assert "revision" not in [row[1] for row in connection.execute("PRAGMA table_info (invoices)")]


def test_commands(tmp_path, capsys):
    database = str(tmp_path / "workshop.db")
    assert main([database, "list"]) == 2
    assert main([database, "migrate", "--to", "1"]) == 0
    assert capsys.readouterr().out == "ran 0001\nat version 1\n"
    assert main([database, "migrate"]) == 0
    assert main([database, "list"]) == 0
