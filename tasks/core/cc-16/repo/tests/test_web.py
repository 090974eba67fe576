import pytest
from stock import stock

from sparebin import SearchQuery, handle, save_search
from sparebin.cli import main


@pytest.fixture
def connection():
    connection = stock()
    yield connection
    connection.close()


def test_parts(connection):
    status, answer = handle(connection, "/parts", "q=union+nut&category=plumbing&category=heating&sort=-price&limit=1")
    assert status == 200
    assert answer["total"] == 2
    assert [part["number"] for part in answer["parts"]] == ["P-101"]
    assert answer["parts"][0]["supplier"] == "Marin Fittings"


def test_suggest(connection):
    assert handle(connection, "/suggest", "q=thermo") == (200, {"names": ["Thermostat"]})
    assert handle(connection, "/suggest") == (200, {"names": []})


def test_saved(connection):
    save_search(connection, "warm things", SearchQuery(categories=["heating"]))
    status, answer = handle(connection, "/saved/warm%20things")
    assert (status, answer["total"]) == (200, 2)
    assert handle(connection, "/saved/none")[0] == 404
    assert handle(connection, "/elsewhere")[0] == 404


def test_counter(tmp_path, capsys):
    database, file = str(tmp_path / "stock.db"), tmp_path / "parts.csv"
    file.write_text(
        "number,name,category,supplier,price,stock,description,cost\n"
        "P-1,Hinge,general,Marin Fittings,199,20,steel,80\n"
        "P-2,Lock,general,Marin Fittings,2499,4,,\n"
    )
    assert main([database, "load", str(file)]) == 0
    assert main([database, "find", "--sort=-price"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["P-2", "P-1", "2"]
