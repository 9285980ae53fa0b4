"""What a notebook shows of a result: measures, a figure, and no record."""

import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microleak
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from microleak.study.tables import result_tables

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
    "mechanism": lambda: microleak.mechanism(
        TOWN,
        ["ln 2", "ln 10"],
        sensitive="ill",
        useful="ill",
        predicate={"equals": "leprosy"},
        models=["oblivious", "randomised_response"],
    ),
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


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_measures_and_no_record(name):
    found = RESULTS[name]()
    shown = found._repr_html_()
    first = next(iter(found.tables))
    assert first in shown
    assert "<table" in shown
    assert not [each for each in SECRETS if each in shown]
    assert not [each for each in SECRETS if each in repr(found)]
    assert f"{first} ({len(found.tables[first]):,} x " in repr(found)


@pytest.mark.parametrize("name", DRAWN)
def test_a_result_has_a_figure_that_is_always_the_same(name):
    found = RESULTS[name]()
    svg = found.figure()
    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == found.figure()
    assert svg in found._repr_html_()


def test_databases_of_one_noise_have_no_figure_but_a_table():
    found = microleak.reconstruct(
        0.5, entries=[20], queries=100, errors=1, attacks=["l1"]
    )
    assert found.figure() == ""
    assert "share_right" in found._repr_html_()


@pytest.mark.parametrize("name", RESULTS)
def test_columns_are_those_of_a_study_and_are_explained(name):
    found = RESULTS[name]()
    for kind, table in found.tables.items():
        told = found.columns(kind)
        assert told["column"].tolist() == list(table)
        assert told["meaning"].str.len().min() > 0
        if kind in result_tables():
            assert [n for n in result_tables()[kind].names if n in table] == list(table)


def test_a_table_is_given_to_other_programs():
    found = RESULTS["assess"]()
    assert found.to_polars().equals(pl.from_pandas(found.collective))
    assert found.to_arrow("worst").equals(
        pa.Table.from_pandas(found.worst, preserve_index=False)
    )
    copy = found.to_pandas()
    copy["qids"] = ""
    assert found.collective["qids"].all()


def test_without_polars_a_sentence_says_so(monkeypatch):
    found = RESULTS["assess"]()
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MicroleakError, match="Polars is not installed"):
        found.to_polars()


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
    typed = (ROOT / "microleak/__init__.pyi").read_text(encoding="utf-8")
    typed = re.sub(
        r"\(\n    (.*),\n\)", r"\1", typed
    )  # a long line, as it is formatted
    assert microleak.__all__ == sorted(microleak.__all__)
    for name in microleak.__all__:
        function = getattr(microleak, name)
        assert f"from {function.__module__} import {name} as {name}\n" in typed
        assert "return" in function.__annotations__
    with pytest.raises(AttributeError, match="no attribute 'asses'"):
        _ = microleak.asses
