"""Functions on frames give the numbers of a study, of every family, whatever frame."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.base.paths import CONFIG
from microleak.study.tables import result_tables
from microleak.study_file.yaml import read_yaml
from microleak.tables.files import read_table
from microleak.tables.result import with_claims
from tests.examples import long

pytestmark = pytest.mark.workflow

ANALYSES = read_yaml(CONFIG / "examples/delimited-demo.yaml")["analyses"]
QIDS = ["sex", "birth_year", "birth_month", "district"]
SENSITIVE = ["illness", "income"]
SEED = 2021
EXACT = {"check_exact": True, "check_dtype": False}

FRAMES = {
    "pandas": lambda table: table.to_pandas(),
    "pandas categories": lambda table: table.to_pandas().astype("category"),
    "polars": pl.from_arrow,
    "arrow": lambda table: table,
}


@pytest.fixture(params=["pandas", *long("pandas categories", "polars", "arrow")])
def frames(demo, request):
    """Return the people of a table and release, or its rows, as some frame."""

    def read(table, release, folder="people"):
        path = demo / folder / table / f"{release}.parquet"
        return FRAMES[request.param](pq.read_table(path))

    return read


def analysis(family, name):
    return next(each for each in ANALYSES[family] if each["name"] == name)


def check(demo, found, family, name, kinds):
    """Each table of a result is that of the study, exactly."""
    folder = "confidential/targets" if family == "targets" else "measures"
    assert kinds
    for kind in kinds:
        ours, spec = found.to_pandas(kind), result_tables()[kind]
        path = demo / folder / kind / f"{name}.csv"
        if family == "targets":
            path = demo / folder / f"{name}{'-further' * (kind == 'further')}.csv"
        theirs = with_claims(read_table(path, spec), spec)
        assert set(ours) < set(theirs), kind
        texts = [c.name for c in spec.columns if c.type == "string" and c.name in ours]
        ours = ours.fillna(dict.fromkeys(texts, ""))
        pd.testing.assert_frame_equal(ours, theirs[list(ours)], **EXACT)


def test_assess_finds_what_a_collective_analysis_does(demo, frames):
    found = microleak.assess(frames("town", 2023), QIDS, SENSITIVE)
    kinds = ("collective", "worst", "distribution", "values", "importance", "entropy")
    check(demo, found, "collective", "town-2023", kinds)


def test_panel_finds_what_an_analysis_of_linked_releases_does(demo, frames):
    found = microleak.panel(
        frames("town", 2022),
        {"2023": frames("town", 2023)},
        person_id="person",
        qids=QIDS,
        sensitive=SENSITIVE,
        groups={
            "chronic": {"attribute": "illness", "values": ["asthma", "diabetes", "HIV"]}
        },
    )
    check(demo, found, "collective", "town-2022", tuple(found.tables))
    assert {*found.collective["auxiliary"]} == {"", "2023"}


def test_target_finds_what_a_target_of_a_study_does(demo, frames):
    given = analysis("targets", "somebody")
    found = microleak.target(
        frames("town", 2023), given["known"], given["sensitive"], given["further"]
    )
    check(demo, found, "targets", "somebody", ("target", "further"))


def test_membership_finds_what_a_membership_analysis_does(demo, frames):
    given = analysis("membership", "asked")
    asked = {name: given[name] for name in ("roughly", "design", "sensitive")}
    both = frames("town", 2023), frames("survey", 2023)
    found = microleak.membership(*both, QIDS, **asked)
    kinds = ("membership", "presence", "uniques", "rough_membership")
    check(demo, found, "membership", "asked", (*kinds, "designs", "answers"))


def test_membership_recognises_the_classes_that_an_analysis_does(demo, frames):
    given = analysis("membership", "districts")
    found = microleak.membership(
        *(frames("town", 2023), frames("survey", 2023), given["qids"]),
        fingerprint=given["fingerprint"],
        subsets=given["subsets"],
    )
    check(demo, found, "membership", "districts", ("membership", "fingerprints"))


def test_anonymity_finds_what_an_analysis_with_entities_and_an_order_does(demo, frames):
    given = analysis("anonymity", "town-models")
    found = microleak.anonymity(
        frames("town", 2023),
        QIDS,
        given["sensitive"],
        order=given["order"],
        entity="person",
        rows=frames("town", 2023, "tables"),
    )
    check(demo, found, "anonymity", "town-models", ("anonymity", "classes"))


def test_anonymity_finds_what_an_analysis_before_a_population_does(demo, frames):
    found = microleak.anonymity(
        frames("survey", 2023), QIDS, ["smokes"], population=frames("town", 2023)
    )
    check(demo, found, "anonymity", "survey-models", ("anonymity", "classes"))


@pytest.mark.parametrize("name", ["high-incomes", "pairs"])
def test_mechanism_finds_what_a_mechanism_analysis_does(demo, frames, name):
    given = dict(analysis("mechanism", name))
    for key in ("name", "table", "focal"):
        del given[key]
    found = microleak.mechanism(frames("town", 2023), given.pop("epsilons"), **given)
    kinds = ("mechanism", "pairs", "samples", "simulated")
    check(demo, found, "mechanism", name, kinds)


def test_reconstruct_finds_what_a_reconstruction_analysis_does(demo, frames):
    given = analysis("reconstruction", "ill")
    illness = pd.Series(list(frames("town", 2023)["illness"]), dtype="str")
    found = microleak.reconstruct(
        illness.astype(str) == "asthma",
        queries=given["queries"],
        errors=given["errors"],
        attacks=given["attacks"],
        entries=given["entries"],
        repeats=given["repeats"],
        seed=SEED,
    )
    check(demo, found, "reconstruction", "ill", ("reconstruction", "bad_points"))


def test_every_table_of_a_study_is_opened_by_its_name(demo):
    opened = microleak.open_results(demo)
    files = [*demo.glob("measures/*/*.csv"), *demo.glob("measures/*.csv")]
    names = {path.relative_to(demo / "measures").with_suffix("") for path in files}
    large = {name for name in opened if name.startswith("success/")}
    assert {*map(Path, opened)} - {*map(Path, large)} == names
    for name in opened:
        spec = result_tables()[name.partition("/")[0]]
        assert list(opened[name]) == spec.names
        assert opened.to_polars(name).columns == spec.names
        assert list(opened.columns(name)["column"]) == spec.names


def test_an_opened_study_says_what_it_is(demo):
    opened = microleak.open_results(demo)
    assert repr(opened).startswith("<microleak study delimited-demo, SYNTHETIC: anony")
    assert "SYNTHETIC" in opened._repr_html_()
    assert opened.name == "delimited-demo"


def test_what_tells_of_persons_is_read_only_by_its_whole_name(demo):
    opened = microleak.open_results(demo)
    assert not [name for name in opened if name.startswith(("people", "confidential"))]
    assert len(opened["people/town/2023"]) > 100
    further = opened["confidential/targets/somebody-further"]
    assert list(further) == result_tables()["further"].names
    assert "people" not in opened._repr_html_()


def test_a_table_that_was_changed_since_is_refused(demo, tmp_path):
    opened = microleak.open_results(demo)
    path = demo / "measures/collective/town-2023.csv"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept.replace(b"0.", b"1.", 1))
        with pytest.raises(
            microleak.base.errors.VerificationError, match="was changed"
        ):
            opened["collective/town-2023"]
    finally:
        path.write_bytes(kept)
