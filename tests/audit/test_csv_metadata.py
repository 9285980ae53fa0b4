"""Who finds a CSV of measures alone learns what it is and whether it is synthetic."""

import json
from pathlib import Path

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.study.load import load_study
from microleak.study.tables import result_tables as specs

GROUPS = tuple(specs()["groups"].names)
TARGET = tuple(specs()["target"].names)

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: inep_school_census
    releases:
      2017: {archive: people.zip}
      2018: {synthetic: {schools: 27}}
analyses:
  collective:
    - {name: real, table: people, focal: 2017, qids: [NU_ANO]}
"""
TWIN = "    - {name: made-up, table: people, focal: 2018, qids: [NU_ANO]}\n"


def described(folder: Path, text: str):
    (folder / "demo.yaml").write_text(text, encoding="utf-8")
    path = folder / "csv-metadata.json"
    write_csv_metadata(path, load_study(folder / "demo.yaml"))
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["@context"] == "http://www.w3.org/ns/csvw"
    return {table["url"]: table for table in content["tables"]}


def test_each_table_says_whether_a_twin_made_it(tmp_path):
    tables = described(tmp_path, STUDY + TWIN)
    data = {url: table["notes"][0]["data"] for url, table in tables.items()}
    kinds = ("collective", "distribution", "entropy", "importance", "values", "worst")
    of_all = ("comparison", "explained", "ingest", "removed", "states")
    assert data == {
        **{f"{kind}/real.csv": "released" for kind in kinds},
        **{f"{kind}/made-up.csv": "SYNTHETIC" for kind in kinds},
        **{f"{name}.csv": "SYNTHETIC" for name in of_all},
    }


def test_tables_of_targets_are_described_as_confidential_by_their_own_columns(tmp_path):
    known = '{TP_SEXO: "1"}'
    target = f"{{name: one, table: people, focal: 2017, known: {known}}}"
    tables = described(tmp_path, STUDY + TWIN + f"  targets: [{target}]\n")
    for ending in ("", "-further"):
        table = tables[f"../confidential/targets/one{ending}.csv"]
        assert table["dc:description"][0]["@value"].startswith("Confidential")
        assert table["notes"] == [{"data": "released"}]
    columns = tables["../confidential/targets/one.csv"]["tableSchema"]["columns"]
    types = {column["name"]: column["datatype"] for column in columns}
    assert list(types) == list(TARGET)
    assert (types["posterior_det"], types["posterior_prob"]) == ("boolean", "number")


def test_gains_are_described_where_an_analysis_links_releases(tmp_path):
    linked = STUDY.replace("focal: 2017,", "focal: 2017, auxiliary: [2016],").replace(
        "      2017:", "      2016: {synthetic: {schools: 27}}\n      2017:"
    )
    table = described(tmp_path, linked)["gain/real.csv"]
    assert table["notes"] == [{"data": "SYNTHETIC"}]
    names = [column["name"] for column in table["tableSchema"]["columns"]]
    assert {"gain_det", "gain_prob"} <= set(names)
    assert "gain/real.csv" not in described(tmp_path, STUDY)


def test_groups_are_described_where_an_analysis_has_some(tmp_path):
    grouped = STUDY.replace("qids: [NU_ANO]", "qids: [NU_ANO], groups: [bus]").replace(
        "analyses:",
        'groups: {bus: {attribute: IN_TRANSPORTE_PUBLICO, values: ["1"]}}\nanalyses:',
    )
    table = described(tmp_path, grouped)["groups/real.csv"]
    names = [column["name"] for column in table["tableSchema"]["columns"]]
    assert tuple(names) == GROUPS
    assert "groups/real.csv" not in described(tmp_path, STUDY)


def test_counts_of_releases_without_a_twin_are_not_synthetic(tmp_path):
    table = described(tmp_path, STUDY)["ingest.csv"]
    assert table["notes"] == [{"data": "released"}]


def test_a_column_has_its_name_type_and_meaning(tmp_path):
    columns = described(tmp_path, STUDY)["worst/real.csv"]["tableSchema"]["columns"]
    assert columns[0]["name"] == "criterion"
    (found,) = (each for each in columns if each["name"] == "additive_leakage")
    assert found == {
        "name": "additive_leakage",
        "titles": "additive_leakage",
        "datatype": "number",
        "dc:description": [
            {"@value": "posterior_prob minus prior_prob.", "@language": "en"},
            {"@value": "posterior_prob menos prior_prob.", "@language": "pt"},
        ],
    }


REBUILT = """\
  reconstruction:
    - name: chance
      attacks: [exponential, linear]
      entries: [8]
      queries: [n*log2(n)**2]
      errors: [1]
    - name: persons
      attacks: [least_squares]
      database: {table: people, release: 2017, attribute: TP_SEXO, equals: "1"}
      entries: [4]
      queries: [all]
      errors: [0]
"""


def test_rebuilt_databases_say_which_solver_and_whose_they_are(tmp_path):
    found = described(tmp_path, STUDY + REBUILT)
    assert found["reconstruction/persons.csv"]["notes"][0] == {"data": "released"}
    data, solver = found["reconstruction/chance.csv"]["notes"]
    assert data == {"data": "SYNTHETIC"}
    assert solver["solver"]["name"] == "HiGHS"
    assert solver["solver"]["primal_feasibility_tolerance"] == 1e-7
