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


def test_the_footer_of_a_full_last_page():
    assert footer(paginate(list(range(30)), 3, 10)) == "Page 3 of 3, titles 21 to 30 of 30"


def test_links_of_a_full_last_page():
    page = paginate(list(range(30)), 3, 10)
    assert page_links("/titles", page) == (
        '</titles?page=1&per_page=10>; rel="first", '
        '</titles?page=2&per_page=10>; rel="prev", '
        '</titles?page=3&per_page=10>; rel="last"'
    )


def test_find_of_full_pages(capsys):
    assert main(["find", SAMPLE, "--page", "5", "--per-page", "5"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Page 5 of 5, titles 21 to 25 of 25"
    assert main(["find", SAMPLE, "--page", "6", "--per-page", "5"]) == 2
    assert capsys.readouterr().err == "stacks: there is no page 6; pages go from 1 to 5\n"


def test_export_of_full_pages(tmp_path, capsys):
    assert main(["export", SAMPLE, str(tmp_path / "out"), "--per-page", "5"]) == 0
    files = sorted((tmp_path / "out").iterdir())
    assert [f.name for f in files] == [f"page-{n:03}.json" for n in range(1, 6)]
    data = [json.loads(f.read_text(encoding="utf-8")) for f in files]
    assert [(d["page"], d["pages"], len(d["titles"])) for d in data] == [(n, 5, 5) for n in range(1, 6)]
    assert capsys.readouterr().out == "25 titles in 5 files\n"


def test_export_of_an_empty_catalogue(tmp_path, capsys):
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    assert main(["export", str(empty), str(tmp_path / "out")]) == 0
    assert [f.name for f in (tmp_path / "out").iterdir()] == ["page-001.json"]
    assert capsys.readouterr().out == "0 titles in 1 files\n"
