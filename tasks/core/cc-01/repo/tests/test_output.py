import json
from pathlib import Path

from stacks import page_links, paginate
from stacks.cli import main
from stacks.render import footer

SAMPLE = str(Path(__file__).parent.parent / "data" / "sample.json")


def test_the_footer_says_where_one_is():
    page = paginate(list(range(25)), 2, 10)
    assert footer(page) == "Page 2 of 3, titles 11 to 20 of 25 (more: --page 3)"
    assert footer(paginate([], per_page=10)) == "Page 1 of 1"


def test_links_keep_the_rest_of_the_address():
    page = paginate(list(range(25)), 2, 10)
    assert page_links("/titles?q=sea&page=9", page) == (
        '</titles?q=sea&page=1&per_page=10>; rel="first", '
        '</titles?q=sea&page=1&per_page=10>; rel="prev", '
        '</titles?q=sea&page=3&per_page=10>; rel="next", '
        '</titles?q=sea&page=3&per_page=10>; rel="last"'
    )


def test_find_prints_a_page(capsys):
    assert main(["find", SAMPLE, "--page", "2", "--per-page", "7", "--sort", "year"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    assert lines[-1] == "Page 2 of 4, titles 8 to 14 of 25 (more: --page 3)"


def test_find_without_a_match(capsys):
    assert main(["find", SAMPLE, "zeppelin"]) == 0
    assert capsys.readouterr().out == "Nothing found.\nPage 1 of 1\n"


def test_a_page_too_far_is_an_error(capsys):
    assert main(["find", SAMPLE, "--page", "5", "--per-page", "7"]) == 2
    assert capsys.readouterr().err == "stacks: there is no page 5; pages go from 1 to 4\n"


def test_export_writes_a_file_a_page(tmp_path, capsys):
    assert main(["export", SAMPLE, str(tmp_path / "out"), "--per-page", "10"]) == 0
    files = sorted((tmp_path / "out").iterdir())
    assert [f.name for f in files] == ["page-001.json", "page-002.json", "page-003.json"]
    assert [len(json.loads(f.read_text(encoding="utf-8"))["titles"]) for f in files] == [10, 10, 5]
    assert capsys.readouterr().out == "25 titles in 3 files\n"
