"""Finding parts."""

from .model import Part

COLUMNS = "p.number, p.name, p.category, s.name, p.price, p.stock, p.description"
TABLES = "parts p JOIN suppliers s ON s.id = p.supplier_id"


def search(connection, query):
    """The parts that a query finds, in its order."""
    sql = f"SELECT {COLUMNS} FROM {TABLES} WHERE {_where(query)} ORDER BY {_order(query.sort)}"
    sql += f" LIMIT {query.limit} OFFSET {query.offset}"
    return [Part(*row) for row in connection.execute(sql)]


def count(connection, query):
    """How many parts a query finds, without its limit and offset."""
    return connection.execute(f"SELECT count(*) FROM {TABLES} WHERE {_where(query)}").fetchone()[0]


def suggest(connection, prefix, limit=10):
    """Names that begin with a prefix."""
    if not prefix.strip():
        return []
    sql = f"SELECT DISTINCT name FROM parts WHERE name LIKE '{prefix.strip()}%' ORDER BY name LIMIT {limit}"
    return [name for (name,) in connection.execute(sql)]


def _where(query):
    conditions = ["1 = 1"]
    for word in query.term.split():
        conditions.append(
            f"(p.number LIKE '%{word}%' OR p.name LIKE '%{word}%' OR p.description LIKE '%{word}%')"
        )
    if query.categories:
        names = ", ".join(f"'{name}'" for name in query.categories)
        conditions.append(f"p.category IN ({names})")
    if query.supplier is not None:
        conditions.append(f"s.name = '{query.supplier}'")
    if query.min_price is not None:
        conditions.append(f"p.price >= {query.min_price}")
    if query.max_price is not None:
        conditions.append(f"p.price <= {query.max_price}")
    return " AND ".join(conditions)


def _order(sort):
    if sort.startswith("-"):
        return f"p.{sort[1:]} DESC, p.number"
    return f"p.{sort}, p.number"
