from pathlib import Path

from meterfeed.cli import main

SAMPLES = Path(__file__).parent / "samples"


def test_check_counts(capsys):
    north, south = str(SAMPLES / "north.csv"), str(SAMPLES / "south.csv")
    assert main(["check", north, south]) == 0
    assert capsys.readouterr().out == f"{north}: 4 readings\n{south}: 2 readings\n"


def test_report(capsys):
    assert main(["report", str(SAMPLES / "north.csv")]) == 0
    assert capsys.readouterr().out == "N-100  2026-03       110.750 kWh\nN-101  2026-03         2.500 kWh\n"


def test_a_bad_file_does_not_stop_the_others(tmp_path, capsys):
    bad = tmp_path / "bad.csv"
    bad.write_text("meter,value\nx,1\n")
    north = str(SAMPLES / "north.csv")
    assert main(["check", str(bad), str(tmp_path / "none.csv"), north]) == 1
    out, err = capsys.readouterr()
    assert out == f"{north}: 4 readings\n"
    assert "bad.csv: missing columns: taken_at" in err and "none.csv" in err


def test_check_of_empty_files(tmp_path, capsys):
    empty, blank = tmp_path / "empty.csv", tmp_path / "blank.csv"
    empty.write_bytes(b"")
    blank.write_bytes(b"\xef\xbb\xbf\r\n")
    north = str(SAMPLES / "north.csv")
    assert main(["check", str(empty), north, str(blank)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{empty}: 0 readings\n{north}: 4 readings\n{blank}: 0 readings\n"
    assert err == ""


def test_report_with_an_empty_file(tmp_path, capsys):
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    assert main(["report", str(empty), str(SAMPLES / "north.csv")]) == 0
    assert capsys.readouterr().out == "N-100  2026-03       110.750 kWh\nN-101  2026-03         2.500 kWh\n"
    assert main(["report", str(empty)]) == 0
    assert capsys.readouterr().out == "no readings\n"
