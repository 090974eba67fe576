import json
from pathlib import Path

import pytest

from stacks import Catalogue, CatalogueError, Title, search

SAMPLE = Path(__file__).parent.parent / "data" / "sample.json"


@pytest.fixture
def catalogue():
    return Catalogue.load(SAMPLE)


def names(titles):
    return [title.name for title in titles]



def test_words_may_be_begun(catalogue):
    assert names(search(catalogue, "isl")) == ["The Islands at Low Water", "Islands of the Cold Current"]


def test_every_word_counts(catalogue):
    assert names(search(catalogue, "hale night")) == ["Night Ferries"]


def test_accents_do_not_matter(catalogue):
    assert names(search(catalogue, "cafe")) == ["Café Society in Trieste"]


def test_subject_and_order(catalogue):
    found = search(catalogue, subject="Crafts", sort="year")
    assert names(found) == ["Knots for Every Day", "Printing by Hand", "Mending Clothes"]


def test_articles_do_not_sort():
    catalogue = Catalogue(
        [Title("1", "The Lamp Room", "M", 1979), Title("2", "Knots", "H", 1991), Title("3", "A Zoo", "Z", 2000)]
    )
    assert names(search(catalogue)) == ["Knots", "The Lamp Room", "A Zoo"]


def test_an_unknown_order(catalogue):
    with pytest.raises(ValueError, match="cannot sort by 'colour'"):
        search(catalogue, sort="colour")


def test_subjects_are_counted(catalogue):
    assert catalogue.subjects()["sea"] == 4


@pytest.mark.parametrize("text", ["{", "{}", '[{"id": 1}]', '[{"id": 1, "name": "x", "author": "y", "year": "?"}]'])
def test_files_that_cannot_be_used(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(CatalogueError):
        Catalogue.load(path)


def test_ids_are_taken_once(tmp_path):
    path = tmp_path / "twice.json"
    entry = {"id": 1, "name": "x", "author": "y", "year": 2000}
    path.write_text(json.dumps([entry, entry]))
    with pytest.raises(CatalogueError, match="taken"):
        Catalogue.load(path)
