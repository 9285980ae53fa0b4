"""`microleak risks`: lists for the office alone, of a study or of one file."""

import csv
import json
import stat
from contextlib import nullcontext as nothing

import pytest

from microleak.audit.manifest import verify
from microleak.cli import main

ROWS = "key,age,sex,HIV\nA1,20,m,n\nA2,20,m,n\nA3,33,f,yes\nA4,33,m,n\nA5,20,m,n\n"


def listed(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_a_study_has_a_list_of_each_collective_analysis(demo, tmp_path, capsys):
    words = ["risks", str(demo), "--to", str(tmp_path), "--most", "7"]
    assert main(["--lang", "en", *words]) == 0
    folder = tmp_path / "confidential/risks"
    analyses = ["town-2022", "town-2023", "town-coarse"]
    names = sorted(f"{a}{end}.csv" for a in analyses for end in ("", "-blocks"))
    assert sorted(path.name for path in folder.iterdir()) == names
    rows = listed(folder / "town-2022.csv")
    assert [row["rank"] for row in rows] == [*"1234567"]
    assert {row["facts"] for row in rows} == {"birth_year"}
    assert all(row["key"].startswith("P") for row in rows)
    assert all("2023.birth_year=" in row["values"] for row in rows)
    assert rows[0]["learnt"].startswith("illness=HIV,")
    of_one = listed(folder / "town-2023.csv")
    assert all(int(row["n_on_level"]) >= 2 for row in of_one if row["to_level"])
    assert ("birth_year", "width 5") in {
        (row["coarsen"], row["to_level"]) for row in of_one
    }
    said = capsys.readouterr()
    assert "town-2022.csv: 7 records, worst first; 7 of them by 1 fact." in said.out
    assert not {word for word in said.out.split() if word in ("HIV", rows[0]["key"])}


def test_only_their_owner_can_open_lists_and_results_stay_whole(demo, capsys):
    assert main(["risks", str(demo), "--analysis", "town-2023"]) == 0
    folder = demo / "confidential/risks"
    try:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert modes == {0o600}
        assert verify(demo) > 100
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def test_the_numbers_found_out_are_those_of_the_measures(demo, tmp_path):
    words = ["--analysis", "town-2023", "--to", str(tmp_path), "--most", "100000"]
    assert main(["risks", str(demo), *words]) == 0
    rows = listed(tmp_path / "confidential/risks/town-2023.csv")
    with (demo / "measures/collective/town-2023.csv").open() as file:
        measured = [row for row in csv.DictReader(file) if row["attack"] == "CRS"]
    alone = {row["qids"]: int(row["n_certain"]) for row in measured}
    first = rows[0]["facts"]
    of_first = [row for row in rows if row["facts"] == first and row["n_alike"] == "1"]
    assert len(of_first) == alone[first]


def test_one_file_is_listed_with_the_limits_that_it_breaks(tmp_path, capsys):
    file, policy = tmp_path / "town.csv", tmp_path / "policy.yaml"
    file.write_text(ROWS)
    policy.write_text(
        "version: 1\nname: p\nfacts: {any: 2}\nlimits:\n"
        "  - {name: three, measure: anonymity.k_anonymity, at_least: 3}\n"
        '  - {name: half, measure: anonymity.prosecutor_risk, at_most: "1/2"}\n'
    )
    words = ["--qids", "age,sex", "--sensitive", "HIV", "--person-id", "key"]
    words += ["--policy", str(policy), "--to", str(tmp_path)]
    assert main(["--lang", "en", "risks", str(file), *words]) == 0
    rows = listed(tmp_path / "confidential/risks/town.csv")
    assert rows[0] == {
        **{"rank": "1", "row": "3", "key": "A3", "n_facts": "1", "facts": "sex"},
        **{"values": "sex=f", "n_alike": "1", "brings_most": "sex", "its_value": "f"},
        **{"n_without_it": "5", "learnt": "HIV=yes", "n_people": "1"},
        **{"n_others": "4", "n_others_alike": "0", "breaks": "three|half"},
        **{"coarsen": "", "to_level": "", "n_on_level": ""},
        **{"suppress": "sex", "n_suppressed": "5"},
    }
    blocks = listed(tmp_path / "confidential/risks/town-blocks.csv")
    assert [(row["size"], row["n_blocks"]) for row in blocks] == [("1", "2")] * 2


def test_no_list_lies_below_a_report_or_beside_a_public_one(demo, tmp_path, capsys):
    words = ["--lang", "en", "risks", str(demo)]
    assert main([*words, "--to", str(demo / "report")]) == 1
    said = capsys.readouterr().err
    assert "/report, which others may see, and the list is of persons" in said
    public = tmp_path / "public"
    (public / "published").mkdir(parents=True)
    for path in ("manifest.json", "published/published.json"):
        told = json.loads((demo / path).read_text("utf-8"))
        (public / path).write_text(json.dumps(told | {"audience": "public"}))
    (public / "manifest.json").write_bytes((demo / "manifest.json").read_bytes())
    assert main(["--lang", "en", "risks", str(public)]) == 1
    assert "is of a public study, beside whose report" in capsys.readouterr().err
    assert not [*public.rglob("confidential")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--analysis", "town-2032"], "no collective analysis 'town-2032'"),
        (["--most", "0"], "--most"),
    ],
)
def test_what_is_asked_wrongly_is_refused(demo, capsys, words, said):
    with pytest.raises(SystemExit) if "--most" in words else nothing():
        assert main(["--lang", "en", "risks", str(demo), *words]) == 1
    assert said in capsys.readouterr().err
