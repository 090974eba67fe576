"""Pages for a terminal."""

WIDTHS = {"name": 36, "author": 24}


def render_page(page):
    """A table of titles and a line that says where one is."""
    lines = [_row(title) for title in page.items]
    if not lines:
        lines = ["Nothing found."]
    lines.append(footer(page))
    return "\n".join(lines)


def footer(page):
    """Such as `Page 2 of 3, titles 11 to 20 of 25`."""
    text = f"Page {page.number} of {page.pages}"
    if page.items:
        text += f", titles {page.first_index} to {page.last_index} of {page.total}"
    if page.has_next:
        text += f" (more: --page {page.number + 1})"
    return text


def _row(title):
    name = _cut(title.name, WIDTHS["name"])
    author = _cut(title.author, WIDTHS["author"])
    return f"{name:<{WIDTHS['name']}}  {author:<{WIDTHS['author']}}  {title.year}"


def _cut(text, width):
    return text if len(text) <= width else text[: width - 1] + "…"
