"""Links between pages, as in the header `Link` of RFC 8288."""

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


def page_url(url, number, per_page):
    """The address of a page: `url` with `page` and `per_page` set and everything else as it was."""
    parts = urlsplit(url)
    query = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if k not in ("page", "per_page")]
    query += [("page", str(number)), ("per_page", str(per_page))]
    return urlunsplit(parts._replace(query=urlencode(query)))


def page_links(url, page):
    """The value of a `Link` header for a page: first, prev, next and last, where they exist."""
    relations = [("first", 1)]
    if page.has_previous:
        relations.append(("prev", page.number - 1))
    if page.has_next:
        relations.append(("next", page.number + 1))
    relations.append(("last", page.pages))
    return ", ".join(f'<{page_url(url, number, page.per_page)}>; rel="{rel}"' for rel, number in relations)
