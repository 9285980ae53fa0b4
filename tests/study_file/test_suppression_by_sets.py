"""Cells can be suppressed for several sets in a study file, as they can in Python."""

from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import yaml

import microleak
from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG
from microleak.cli import main
from microleak.study.load import check_content

SHOP = """
study: shop
seed: 5
tables:
  t:
    source: delimited
    releases: {"1": {archive: raw.csv}}
protections:
  p:
    table: t
    release: "1"
    steps:
      - STEP
analyses:
  collective:
    - {name: before, table: t, focal: "1", qids: [town, age]}
"""
KNOWN = """
  known_protection:
    - {name: known, table: t, focal: p, qids: [town, age], sensitive: [sex]}
"""


def study(suppress, target="k: 2"):
    return yaml.safe_load(SHOP.replace("STEP", f"{{suppress: {suppress}, {target}}}"))


@pytest.fixture(scope="module")
def schema():
    return yaml.load((CONFIG / "schema.yaml").read_bytes(), yaml.CSafeLoader)


def step_of(content):
    return check_content(content, Path("shop.yaml")).protections["p"].steps[0]


@pytest.mark.parametrize(
    ("suppress", "sets"),
    [
        ("[[sex, town], [town, age]]", (("sex", "town"), ("town", "age"))),
        ("[[sex], [town]]", (("sex",), ("town",))),
        ("[[sex, town]]", (("sex", "town"),)),
        ("[sex, town]", (("sex", "town"),)),
        ("[sex]", (("sex",),)),
        ("[[a], [b], [a, b]]", (("a",), ("b",), ("a", "b"))),
    ],
)
def test_sets_of_a_study_file_are_those_of_the_step_and_fit_the_schema(
    schema, suppress, sets
):
    content = study(suppress)
    jsonschema.validate(content, schema)
    step = step_of(content)
    assert step.sets == sets
    assert step.changed == tuple(dict.fromkeys(name for own in sets for name in own))


NAMES = "Names of attributes are not empty, have neither"
FAULTS = [
    ("[]", "suppress is a list, empty: QIDs whose cells"),
    ("[[]]", "the 1st entry of {}suppress is a list, empty"),
    ("[[A, B], []]", "the 2nd entry of {}suppress is a list, empty"),
    ("[[], [A, B]]", "the 1st entry of {}suppress is a list, empty"),
    ("[[], []]", "the 1st entry of {}suppress is a list, empty"),
    ("[A, A]", "suppress has 'A' twice. Give it once."),
    ("[[A, A]]", "the 1st entry of {}suppress has 'A' twice. Give it once."),
    ("[[A, A], [B]]", "the 1st entry of {}suppress has 'A' twice. Give it once."),
    ("[[B], [A, B, A]]", "the 2nd entry of {}suppress has 'A' twice. Give it once."),
    ("[A, 5]", "the 2nd entry of {}suppress is 5, not of type string: " + NAMES),
    ("[A, [B]]", "the 2nd entry of {}suppress is a list, not of type string"),
    ("[[A], B, [A]]", "the 2nd entry of {}suppress is 'B'"),
    ("[[A], 5, [A]]", "the 2nd entry of {}suppress is 5, not of type array"),
    ("[[A, 5], [B]]", "the 2nd entry of the 1st entry of {}suppress is 5, not of type"),
    ("[[A, 5, 6]]", "the 2nd entry of the 1st entry of {}suppress is 5, not of type"),
    ("[[A], [[B]]]", "the 1st entry of the 2nd entry of {}suppress is a list, not of"),
    ("[['=1', B]]", "the 1st entry of the 1st entry of {}suppress is '=1', which"),
    ("[[A, ''], [B]]", "the 2nd entry of the 1st entry of {}suppress is '', which is"),
    ("A", "suppress is 'A', but must be a list: [A]."),
    ("{A: [B]}", "suppress is a mapping, not as it should be: QIDs whose cells"),
]


@pytest.mark.parametrize(("suppress", "words"), FAULTS)
def test_a_faulty_list_is_refused_with_its_place(suppress, words):
    with pytest.raises(StudyError) as error:
        check_content(study(suppress), Path("shop.yaml"))
    said = str(error.value)
    assert words.format("the 1st entry of protections.p.steps: ") in said
    assert "may have: ." not in said
    with pytest.raises(StudyError) as error:
        step = {"suppress": yaml.safe_load(suppress), "k": 2}
        microleak.protect(pd.DataFrame({"A": ["x"], "B": ["y"]}), [step])
    assert words.format("the 1st entry of steps: ") in str(error.value)


@pytest.mark.parametrize("key", ["sets", "sett"])
def test_sets_are_no_key_of_a_study_file(key):
    content = study("[[sex], [town]]", f"k: 2, {key}: [[sex]]")
    with pytest.raises(StudyError, match=f"steps has no key '{key}'"):
        check_content(content, Path("shop.yaml"))


def test_blocks_by_each_set_of_a_file_have_k_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(n % 2, n % 3, n % 5) for n in range(40)] + [(7, 1, 2), (1, 8, 2)]
    frame = pd.DataFrame(rows, columns=["sex", "town", "age"]).astype(str)
    frame.to_csv("raw.csv", index=False)
    step = "{suppress: [[sex, town], [town, age]], k: 2}"
    text = SHOP.replace("STEP", step) + KNOWN[1:]
    Path("shop.yaml").write_text(text, "utf-8")
    assert main(["protect", "shop.yaml", "--recipe", "p", "-o", "p.csv"]) == 0
    read = pd.read_csv("p.csv", dtype=str, keep_default_na=False)
    n_missing = int((read == "").to_numpy().sum())
    assert 0 < n_missing < 12
    for names in (["sex", "town"], ["town", "age"]):
        assert read.groupby(names).size().min() >= 2
    known = check_content(yaml.safe_load(text), Path("shop.yaml")).analyses
    assert known
