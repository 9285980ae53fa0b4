"""What a notebook shows of a result: measures, a figure, and no record."""

import inspect
import pickle
import pydoc
import re
import subprocess
import sys
from functools import cache
from html import escape
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mypy import api

import microleak
from microleak.base.errors import MicroleakError
from microleak.families import FUNCTIONS
from microleak.study.tables import result_tables
from tests.contract.stub import STUB, stub
from tests.examples import thinned

SECRETS = ("Zacarias", "<b>bold</b>", "leprosy")
"""Values that only records have."""


def town(n=60):
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "name": rng.choice(["Zacarias", "Maria", "João"], n),
            "street": rng.choice(["<b>bold</b>", "High", "Low"], n),
            "age": rng.integers(0, 20, n),
            "ill": rng.choice(["leprosy", "none", "flu"], n, p=[0.2, 0.5, 0.3]),
        }
    )


TOWN = town()
QIDS = ["name", "street", "age"]
COUNT = {"sensitive": "ill", "useful": "ill", "predicate": {"equals": "leprosy"}}
COUNT |= {"models": ["oblivious", "randomised_response"]}
RESULTS = {
    "assess": lambda: microleak.assess(TOWN, QIDS, ["ill"]),
    "assess without qids": lambda: microleak.assess(TOWN, sensitive=["ill"]),
    "assess one set": lambda: microleak.assess(TOWN, QIDS, subsets="full"),
    "panel": lambda: microleak.panel(
        TOWN, {"then": town(50)}, "id", QIDS, sensitive=["ill"]
    ),
    "anonymity": lambda: microleak.anonymity(
        TOWN, QIDS, ["ill"], entity="id", n_population=900
    ),
    "membership": lambda: microleak.membership(
        TOWN, TOWN[:20], QIDS, targets={"one": {"name": "Zacarias"}}
    ),
    "mechanism": lambda: microleak.mechanism(TOWN, ["ln 2", "ln 10"], **COUNT),
    "mechanism of pairs": lambda: microleak.mechanism(
        TOWN, ["ln 2"], attributes=["ill", "street"]
    ),
    "reconstruct": lambda: microleak.reconstruct(
        TOWN["ill"] == "leprosy",
        queries=200,
        errors=[0.5, 2, 8],
        attacks=["least_squares"],
    ),
    "target": lambda: microleak.target(TOWN, {"name": "Zacarias"}, ["ill"], ["age"]),
}
DRAWN = [name for name in RESULTS if name != "target"]
each_result = pytest.mark.parametrize("name", RESULTS)


@cache
def result(name):
    return RESULTS[name]()


@each_result
def test_a_notebook_shows_measures_and_no_record(name):
    found = result(name)
    shown = found._repr_html_()
    first = next(iter(found.tables))
    assert first in shown
    assert "<table" in shown
    # Only what is concluded names values, and those are of sensitive attributes.
    concluded = found.conclusion()
    assert not [each for each in SECRETS[:2] if each in str(concluded)]
    for said in concluded:
        shown = shown.replace(escape(said), "", 1)
    assert not [each for each in SECRETS if each in shown]
    assert repr(found).startswith("\n".join(concluded))
    assert not [each for each in SECRETS if each in repr(found).split("\n")[-1]]
    assert f"{first} ({len(found.tables[first]):,} x " in repr(found)


def test_a_notebook_shows_the_worst_set_of_each_attack_first():
    found = result("assess")
    most = found.collective.groupby("sensitive")["n_certain"].max()
    told = []
    for block in re.findall(r"<table.*?</table>", found._repr_html_(), re.S):
        heads = re.findall(r"<th>(.*?)</th>", block)
        cells = re.findall(r"<td>(.*?)</td>", block)
        told.append(int(cells[heads.index("n_certain")]))
    assert told == most[["", "ill"]].tolist()


@pytest.mark.parametrize("name", thinned(DRAWN))
def test_a_result_has_a_figure_that_is_always_the_same(name, tmp_path):
    found = result(name)
    figure = found.figure()
    svg = figure._repr_svg_()
    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == found.figure()._repr_svg_()
    assert svg in found._repr_html_()
    figure.save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text("utf-8") == svg
    assert any(figure.table is table for table in found.tables.values())
    assert len(figure.table)


def test_a_figure_is_written_as_svg_alone(tmp_path):
    figure = result("assess").figure()
    with pytest.raises(ValueError, match=r"not end in \.svg"):
        figure.save(tmp_path / "figure.png")


def test_databases_of_one_noise_have_no_figure_but_a_table():
    found = microleak.reconstruct(
        0.5, entries=[20], queries=100, errors=1, attacks=["l1"]
    )
    assert found.figure() is None
    assert "share_right" in found._repr_html_()


@each_result
def test_columns_are_those_of_a_study_and_are_explained(name):
    found = result(name)
    for kind, table in found.tables.items():
        told = found.columns(kind)
        assert told["column"].tolist() == list(table)
        assert told["meaning"].str.len().min() > 0
        if kind in result_tables():
            assert [n for n in result_tables()[kind].names if n in table] == list(table)


def test_a_table_is_given_to_other_programs():
    found = result("assess")
    assert found.to_polars().equals(pl.from_pandas(found.collective))
    assert found.to_arrow("worst").equals(
        pa.Table.from_pandas(found.worst, preserve_index=False)
    )
    copy = found.to_pandas()
    copy["qids"] = ""
    assert found.collective["qids"].all()


@each_result
def test_a_result_has_by_name_what_it_has_as_attributes(name):
    found = result(name)
    assert all(found[table] is getattr(found, table) for table in found.tables)
    with pytest.raises(KeyError, match=r"^The result has no table 'wurst'\..* It"):
        found["wurst"]


def test_results_of_polars_frames_are_polars_frames():
    town = pl.from_pandas(TOWN)
    found = microleak.assess(town, QIDS, ["ill"])
    ours = result("assess")
    assert found._repr_html_() == ours._repr_html_()
    assert found.figure().table is found.collective
    for name, table in pickle.loads(pickle.dumps(found)).tables.items():
        assert isinstance(table, pl.DataFrame)
        assert table.equals(ours.to_polars(name))
        pd.testing.assert_frame_equal(found.to_pandas(name), ours[name])
    changed = microleak.protect(town, [{"drop": ["age"]}])
    assert isinstance(changed.changes, pl.DataFrame)
    assert isinstance(microleak.target(TOWN, {"age": 3}).target, pd.DataFrame)


def test_a_number_that_is_not_there_is_na():
    found = microleak.assess(pa.Table.from_pandas(TOWN), QIDS)
    assert found.collective["n_rarer"].isna().all()
    assert found.collective["n_rarer"].dtype == "Int64"
    linked = microleak.linkage(TOWN, TOWN, ["street"], stable=["name"])
    assert linked.linked_success["posterior_prob_identified"].dtype == "float64"


def test_a_notebook_shows_each_attribute_with_the_worst_set_first():
    """Nothing is cut off, and columns without a number are left out."""
    qids = [f"a column with a name that is long, {n}" for n in range(4)]
    rng = np.random.default_rng(3)
    drawn = {name: rng.integers(0, 9, 50) for name in [*qids, "ill"]}
    shown = microleak.assess(pd.DataFrame(drawn), qids, ["ill"])._repr_html_()
    alone, inferred = map(rows_of, ET.fromstring(shown).iter("table"))
    worst = " | ".join(qids)
    for block in (alone, inferred):
        assert block[0]["qids"] == worst
        assert [row["n_qids"] for row in block] == ["4", "3", "2", "1"]
    assert "n_rarer" not in alone[0]
    assert int(inferred[0]["n_certain_rarer"]) > 0
    assert shown.index("<b>ill</b>") > shown.index(worst)


def rows_of(table):
    """The rows of a table of HTML, by column."""
    names, *rows = ([cell.text for cell in row] for row in table.iter("tr"))
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_without_polars_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MicroleakError, match="Polars is not installed"):
        result("assess").to_polars()


def test_names_of_columns_are_text_in_a_notebook():
    frame = pd.DataFrame({"<b>x</b>": [1, 1, 2]})
    shown = microleak.assess(frame, ["<b>x</b>"])._repr_html_()
    assert "<b>x</b>" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;" in shown


def test_the_package_is_light_until_a_function_is_asked_for():
    code = (
        "import sys, microleak; dir(microleak); "
        "print({'pandas', 'pyarrow', 'numpy', 'pydantic', 'numba'} & {*sys.modules})"
    )
    line = [sys.executable, "-c", code]
    assert subprocess.run(line, capture_output=True, check=True).stdout == b"set()\n"


def test_every_function_is_there_and_has_types():
    assert STUB.read_text(encoding="utf-8") == stub(), "make docs"
    assert microleak.__all__ == sorted(microleak.__all__)
    assert {*microleak.__all__} <= {*dir(microleak)}
    for name in microleak.__all__:
        assert "return" in getattr(microleak, name).__annotations__
    with pytest.raises(AttributeError, match="no attribute 'asses'"):
        _ = microleak.asses


@pytest.mark.long
def test_types_of_calls_are_checked(tmp_path):
    """As mypy sees a notebook: arguments, results and their tables."""
    used = tmp_path / "used.py"
    used.write_text(
        "import microleak\n"
        "found = microleak.rough_knowledge(None, ['a'], {'a': {'within': 1}})\n"
        "found.rough_knowledge.head()\n"
        "if figure := found.figure(): figure.save('a.svg')\n"
        "found.membership\n"
        "microleak.anonymity(None, 5)\n"
        "microleak.asses\n",
        encoding="utf-8",
    )
    out, _, code = api.run(["--strict", "--cache-dir", str(tmp_path), str(used)])
    lines = re.findall(r"used.py:(\d+): error", out)
    assert (code, lines) == (1, ["5", "6", "7"]), out


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_help_tells_of_every_argument_and_of_the_result(name):
    function = getattr(microleak, name)
    told = pydoc.render_doc(function, renderer=pydoc.plaintext)
    signature = inspect.signature(function)
    assert told.count(f"{name}({next(iter(signature.parameters))}") == 1
    listed = told.partition("Parameters\n")[2].partition("Returns\n")[0]
    named = re.findall(r"^ {4}(\w.*)\n {8}\S", listed, re.MULTILINE)
    names = [name for each in named for name in each.split(", ")]
    assert sorted(names) == sorted(signature.parameters)
    tables = signature.return_annotation.__annotations__
    assert all(f"`{table}`" in told for table in tables)


def test_one_function_analyses_every_kind():
    found = microleak.analyse("special_uniques", TOWN, qids=QIDS)
    same = microleak.special_uniques(TOWN, QIDS)
    pd.testing.assert_frame_equal(found.special_uniques, same.special_uniques)
    assert type(microleak.analyse("collective", TOWN, QIDS)).__name__ == "Assessed"
    with pytest.raises(MicroleakError, match=r"no kind of analysis .*mean 'anonymity'"):
        microleak.analyse("anonimity", TOWN, QIDS)


def test_links_without_an_identifier_have_a_figure():
    found = microleak.linkage(TOWN, TOWN, ["street"], stable=["name"])
    assert found.linked_success["posterior_prob_identified"].isna().all()
    assert ET.fromstring(found.figure().svg).tag.endswith("svg")
    assert found.figure().table is found.linked_success


def test_a_pickled_result_comes_back_where_its_class_is_not_made_yet(monkeypatch):
    found = microleak.special_uniques(pd.DataFrame({"age": [25, 26, 60]}), ["age"])
    pickled = pickle.dumps(found)
    monkeypatch.delattr(type(found).__module__ + ".Special")
    again = pickle.loads(pickled)
    pd.testing.assert_frame_equal(again.suda_scores, found.suda_scores)
