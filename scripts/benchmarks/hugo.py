"""Two Hugo sites with the same words as ours: every task page of a built site, as Markdown and as plain HTML bodies.

The Markdown corpus is what Hugo is made for: headings, paragraphs, lists, tables, and the statement as its author wrote it,
with its block of code to highlight. The HTML corpus is the most generous to it: nothing is left to parse or to highlight,
each body is only put into a template. Charts are left out of both.

    python hugo.py SITE TASKS FOLDER      writes FOLDER/hugo-md and FOLDER/hugo-html
"""

import glob
import html
import os
import re
import sys
from html.parser import HTMLParser

CONFIG = """baseURL = "https://example.invalid/"
title = "Pages"
languageCode = "en"
uglyURLs = true
disableKinds = ["taxonomy", "term", "RSS", "section"]
[markup.goldmark.renderer]
unsafe = true
[markup.highlight]
noClasses = false
"""

TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ .Title }} – {{ .Site.Title }}</title><meta name="description" content="{{ .Description }}">
<link rel="canonical" href="{{ .Permalink }}"><link rel="stylesheet" href="/site.css"></head><body>
<header><p><a href="/">{{ .Site.Title }}</a></p><nav aria-label="Site"><ul><li><a href="/">Home</a></li><li><a href="/data">Data</a></li>
<li><a href="/method">Method</a></li><li><a href="/verify">Check the work</a></li></ul></nav></header>
<main id="main"><h1>{{ .Title }}</h1>{{ .Content }}</main><footer><p>Every number is computed.</p></footer></body></html>
"""

CORPORA = {"Markdown": "md", "HTML bodies": "html"}

MAIN = re.compile(r"<main\b[^>]*>(.*)</main>", re.DOTALL)
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
STATEMENT = re.compile(r'<blockquote class="statement">.*?</blockquote>', re.DOTALL)
SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


class Markdown(HTMLParser):
    """Headings, paragraphs, list items and tables of a page, as Markdown."""

    def __init__(self):
        super().__init__()
        self.blocks, self.words, self.row, self.table = [], [], None, None

    def text(self):
        words = " ".join("".join(self.words).split())
        self.words = []
        return words

    def close_block(self, before=""):
        words = self.text()
        if words:
            self.blocks.append(before + words)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.close_block()
            self.table = []
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.words = []
        elif self.table is None and tag in ("p", "h1", "h2", "h3", "h4", "li", "dt", "dd", "section", "div", "summary"):
            self.close_block()

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.row is not None:
            self.row.append(self.text().replace("|", "\\|"))
        elif tag == "tr" and self.row is not None and self.table is not None:
            self.table.append(self.row)
            self.row = None
        elif tag == "table" and self.table:
            width = max(map(len, self.table))
            lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in self.table]
            self.blocks.append("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))
            self.table = None
        elif tag == "h1":
            self.words = []  # the template prints the title
        elif tag == "caption":
            self.close_block()
        elif tag in ("h2", "h3", "h4"):
            self.close_block("#" * int(tag[1]) + " ")
        elif tag in ("li", "dd"):
            self.close_block("- ")
        elif self.table is None and tag in ("p", "dt", "section", "div", "summary"):
            self.close_block()

    def handle_data(self, data):
        self.words.append(data)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def body_of(page, problem, suffix):
    """What stands in the main part of a page, without its charts."""
    body = SVG.sub("", MAIN.search(page)[1])
    if suffix == "html":
        return body
    before, after = STATEMENT.split(body)
    parsers = [Markdown(), Markdown()]
    for parser, part in zip(parsers, (before, after)):
        parser.feed(part)
        parser.close_block()
    return "\n\n".join([*parsers[0].blocks, problem, *parsers[1].blocks])


def make_site(pages, problems, root, suffix):
    for part in ("content/task", "layouts/_default"):
        os.makedirs(os.path.join(root, part), exist_ok=True)
    for path, text in (("config.toml", CONFIG), ("layouts/_default/single.html", TEMPLATE), ("layouts/index.html", TEMPLATE)):
        write(os.path.join(root, path), text)
    for place, path in enumerate(pages):
        page = read(path)
        title = html.unescape(TITLE.search(page)[1]).replace('"', "'").replace("\\", "/")
        front = f'+++\ntitle = "{title}"\ndescription = "{title}"\n+++\n'
        write(os.path.join(root, "content/task", f"t{place:06d}.{suffix}"), front + body_of(page, read(problems[place]), suffix) + "\n")


if __name__ == "__main__":
    site, tasks, folder = sys.argv[1:]
    pages, problems = (sorted(glob.glob(pattern, recursive=True)) for pattern in (f"{site}/task/**/*.html", f"{tasks}/*/*/problem.md"))
    if len(pages) != len(problems):
        sys.exit(f"error: {len(pages)} pages of tasks, {len(problems)} statements")
    for one in CORPORA.values():
        make_site(pages, problems, os.path.join(folder, f"hugo-{one}"), one)
