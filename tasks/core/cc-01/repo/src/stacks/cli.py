"""The command `stacks`."""

import argparse
import json
import sys
from pathlib import Path

from .pagination import DEFAULT_PER_PAGE, PageOutOfRange, iter_pages, paginate
from .render import render_page
from .search import SORTS, search
from .store import Catalogue, CatalogueError


def main(argv=None):
    """Returns the exit code: 0, or 2 with a message on standard error."""
    arguments = _parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except (CatalogueError, PageOutOfRange, ValueError) as error:
        print(f"stacks: {error}", file=sys.stderr)
        return 2


def _find(arguments):
    catalogue = Catalogue.load(arguments.catalogue)
    found = search(catalogue, arguments.query, subject=arguments.subject, sort=arguments.sort)
    print(render_page(paginate(found, arguments.page, arguments.per_page)))
    return 0


def _export(arguments):
    catalogue = Catalogue.load(arguments.catalogue)
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    titles = search(catalogue)
    count = 0
    for page in iter_pages(titles, arguments.per_page):
        data = {"page": page.number, "pages": page.pages, "titles": [t.to_dict() for t in page.items]}
        text = json.dumps(data, ensure_ascii=False, indent=2)
        (folder / f"page-{page.number:03}.json").write_text(text + "\n", encoding="utf-8")
        count += 1
    print(f"{len(titles)} titles in {count} files")
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="stacks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    find = commands.add_parser("find", help="look for titles")
    find.add_argument("catalogue")
    find.add_argument("query", nargs="?", default="")
    find.add_argument("--subject")
    find.add_argument("--sort", choices=sorted(SORTS), default="name")
    find.add_argument("--page", type=int, default=1)
    find.add_argument("--per-page", type=int, default=DEFAULT_PER_PAGE)
    find.set_defaults(run=_find)

    export = commands.add_parser("export", help="write the catalogue as one file a page")
    export.add_argument("catalogue")
    export.add_argument("folder")
    export.add_argument("--per-page", type=int, default=100)
    export.set_defaults(run=_export)
    return parser


if __name__ == "__main__":
    sys.exit(main())
