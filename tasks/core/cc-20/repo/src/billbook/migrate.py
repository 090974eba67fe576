"""Brings a database to a version."""

import importlib
import pkgutil
import re

from . import migrations
from .database import transaction

NAME = re.compile(r"m(\d{4})_\w+")


class MigrationError(RuntimeError):
    """A migration failed; the database is as it was before it."""

    def __init__(self, version, direction, cause):
        super().__init__(f"migration {version} ({direction}): {cause}")
        self.version = version
        self.direction = direction


def latest_version():
    return max(_modules())


def current_version(connection):
    """The version of a database; 0 if it is empty."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'")
    if found.fetchone() is None:
        return 0
    return connection.execute("SELECT coalesce(max(version), 0) FROM schema_migrations").fetchone()[0]


def migrate(connection, target=None):
    """Runs migrations up or down to a version, the latest one without a target; returns the versions that were run."""
    modules = _modules()
    target = max(modules) if target is None else target
    if target != 0 and target not in modules:
        raise ValueError(f"there is no version {target}")
    connection.execute("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY)")
    begin = current_version(connection)
    if begin <= target:
        versions = [v for v in sorted(modules) if begin < v <= target]
    else:
        versions = [v for v in sorted(modules, reverse=True) if target < v <= begin]
    for version in versions:
        _run(connection, version, modules[version], "up" if begin < target else "down")
    return versions


def _run(connection, version, name, direction):
    module = importlib.import_module(f"{migrations.__name__}.{name}")
    try:
        with transaction(connection):
            getattr(module, direction)(connection)
            if direction == "up":
                connection.execute("INSERT INTO schema_migrations (version) VALUES (?)", (version,))
            else:
                connection.execute("DELETE FROM schema_migrations WHERE version = ?", (version,))
    except Exception as error:
        raise MigrationError(version, direction, error) from error


def _modules():
    """Names of the modules by version."""
    found = {}
    for module in pkgutil.iter_modules(migrations.__path__):
        match = NAME.fullmatch(module.name)
        if match:
            found[int(match[1])] = module.name
    return found
