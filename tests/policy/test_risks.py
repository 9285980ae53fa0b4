"""`microleak risks`: lists for the office alone, of a study or of one file."""

import csv
import json
import shutil
import stat
from contextlib import nullcontext as nothing

import numpy as np
import pytest

from microleak.audit.manifest import verify
from microleak.audit.sealed import sealed_text
from microleak.cli import main
from tests.workflow.workshop import Workshop, draw_plainly

ROWS = "key,age,sex,HIV\nA1,20,m,n\nA2,20,m,n\nA3,33,f,yes\nA4,33,m,n\nA5,20,m,n\n"


def listed(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_a_study_has_a_list_of_each_collective_analysis(demo, tmp_path, capsys):
    words = ["risks", str(demo), "--to", str(tmp_path), "--most", "7"]
    assert main(["--lang", "en", *words]) == 0
    folder = tmp_path / "confidential/risks"
    analyses = ["town-2022", "town-2023", "town-coarse"]
    for found in (folder, folder / "blocks"):
        assert sorted(path.stem for path in found.glob("*.csv")) == analyses
    rows = listed(folder / "town-2022.csv")
    assert [row["rank"] for row in rows] == [*"1234567"]
    assert {row["facts"] for row in rows} == {"birth_year"}
    assert all(row["key"].startswith("P") for row in rows)
    assert all("2023.birth_year" in json.loads(row["values"]) for row in rows)
    assert json.loads(rows[0]["learnt"])["illness"] == "HIV"
    # A fact that another release has, too, is not ended by a change of this one.
    assert {row["suppress"] for row in rows} == {row["coarsen"] for row in rows} == {""}
    of_one = listed(folder / "town-2023.csv")
    assert all(int(row["n_on_level"]) >= 2 for row in of_one if row["to_level"])
    assert ("birth_year", "width 5") in {
        (row["coarsen"], row["to_level"]) for row in of_one
    }
    said = capsys.readouterr()
    assert (
        "town-2022.csv: 7 records, most at risk first; 7 of them by 1 fact." in said.out
    )
    assert not {word for word in said.out.split() if word in ("HIV", rows[0]["key"])}


def test_only_their_owner_can_open_lists_and_results_stay_whole(demo, capsys):
    assert main(["risks", str(demo), "--analysis", "town-2023"]) == 0
    folder = demo / "confidential/risks"
    try:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert verify(demo) > 100
    finally:
        shutil.rmtree(folder)


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
        **{
            "values": '{"sex": "f"}',
            "n_alike": "1",
            "brings_most": "sex",
            "its_value": "f",
        },
        **{"n_without_it": "5", "learnt": '{"HIV": "yes"}', "n_people": "1"},
        **{"n_others": "4", "n_others_alike": "0", "breaks": "three|half"},
        **{"coarsen": "", "to_level": "", "n_on_level": ""},
        **{"suppress": "sex", "n_suppressed": "5"},
    }
    blocks = listed(tmp_path / "confidential/risks/blocks/town.csv")
    assert [(row["size"], row["n_blocks"]) for row in blocks] == [("1", "2")] * 2


def test_no_list_lies_below_a_report_or_among_results(demo, tmp_path, capsys):
    words = ["--lang", "en", "risks", str(demo), "--to"]
    for place in ("report", "measures"):
        assert main([*words, str(demo / place)]) == 1
        said = capsys.readouterr().err
        assert "The list exposes persons, and others may see" in said
        assert not (demo / place / "confidential").exists()


def test_none_lies_beside_a_public_report(demo, tmp_path, capsys):
    public = tmp_path / "public"
    public.mkdir()
    told = json.loads((demo / "manifest.json").read_text("utf-8"))
    told["config"]["content"]["report"]["audience"] = "public"
    del told["manifest_sha256"]
    (public / "manifest.json").write_text(sealed_text(told))
    for words in ([], ["--to", str(public)]):
        assert main(["--lang", "en", "risks", str(public), *words]) == 1
        assert "is of a public study, beside whose report" in capsys.readouterr().err
    assert not [*public.rglob("confidential")]


def test_records_that_were_changed_are_not_listed(demo, tmp_path, capsys):
    copy = tmp_path / "town"
    shutil.copytree(demo, copy, ignore=shutil.ignore_patterns("figures", "raw"))
    with (copy / "people/town/2023.parquet").open("ab") as file:
        file.write(b"x")
    assert main(["--lang", "en", "risks", str(copy), "--analysis", "town-2023"]) == 1
    assert "2023.parquet is not what manifest.json lists" in capsys.readouterr().err


STUDY = """study: town
seed: 1
tables:
  town:
    source: delimited
    options: {delimiter: ",", encoding: utf-8, missing: [""], person_id: key}
    releases:
      "1": {archive: "1.csv"}
      "2": {archive: "2.csv"}
      "3": {archive: "3.csv"}
groups:
  bad: {attribute: ill, values: [x, y]}
analyses:
  collective:
    - name: town
      table: town
      focal: "1"
      auxiliary: ["2", {"3": [age]}]
      qids: [age, dist]
      sensitive: [ill]
      groups: [bad]
"""


def test_linked_releases_are_known_as_far_as_the_study_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw_plainly(monkeypatch)
    rng = np.random.default_rng(4)
    people = {}
    for release in "123":
        rows = [
            (
                f"P{i}",
                rng.integers(20, 23),
                rng.choice(["a", "b"]),
                rng.choice([*"xyz"]),
            )
            for i in range(25)
        ]
        people[release] = {key: values for key, *values in rows}
        lines = [",".join(map(str, row)) for row in rows]
        text = "\n".join(["key,age,dist,ill", *lines, ""])
        (tmp_path / f"{release}.csv").write_text(text)
    workshop = Workshop(STUDY)
    assert workshop.run()
    assert main(["risks", "results/town", "--most", "1000"]) == 0
    known = {
        key: {"age": [str(p[key][0]) for p in people.values()]}
        | {"dist": [people[r][key][1] for r in "12"]}
        for key in people["1"]
    }
    rows = listed(tmp_path / "results/town/confidential/risks/town.csv")
    for row in rows:
        facts = row["facts"].split("|")
        same = [
            k for k in known if all(known[k][f] == known[row["key"]][f] for f in facts)
        ]
        assert int(row["n_alike"]) == len(same)
        values = json.loads(row["values"])
        assert len(values) == sum(3 if fact == "age" else 2 for fact in facts)
    whole = [tuple(map(tuple, known[key].values())) for key in known]
    alone = {
        key for key, facts in zip(known, whole, strict=True) if whole.count(facts) == 1
    }
    assert alone <= {row["key"] for row in rows}


def test_cells_are_no_formulas_and_can_be_told_apart(tmp_path):
    file = tmp_path / "town.csv"
    file.write_text('key,dist\n=P1,"a,sex=f"\n=P2,b\n=P3,b\n')
    words = ["--qids", "dist", "--person-id", "key", "--to", str(tmp_path)]
    assert main(["risks", str(file), *words]) == 0
    (row,) = listed(tmp_path / "confidential/risks/town.csv")
    assert row["key"] == "'=P1"
    assert json.loads(row["values"]) == {"dist": "a,sex=f"}


def test_limits_of_other_tables_are_none_of_the_list(tmp_path, capsys):
    file, policy = tmp_path / "town.csv", tmp_path / "policy.yaml"
    file.write_text(ROWS)
    policy.write_text(
        "version: 1\nname: p\nlimits:\n"
        "  - {name: k, measure: anonymity.k_anonymity, at_least: 3, "
        "where: {analysis: elsewhere}}\n"
        "  - {name: low, measure: anonymity.prosecutor_risk, at_least: 1}\n"
    )
    words = ["--qids", "age,sex", "--policy", str(policy), "--to", str(tmp_path)]
    assert main(["--lang", "en", "risks", str(file), *words]) == 0
    rows = listed(tmp_path / "confidential/risks/town.csv")
    assert {row["breaks"] for row in rows} == {""}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--analysis", "town-2032"], "no collective analysis 'town-2032'"),
        (["--most", "0"], "--most"),
        (["--qids", "age"], "--qids does not go with"),
    ],
)
def test_what_is_asked_wrongly_is_refused(demo, capsys, words, said):
    with pytest.raises(SystemExit) if "--most" in words else nothing():
        assert main(["--lang", "en", "risks", str(demo), *words]) == 1
    assert said in capsys.readouterr().err
