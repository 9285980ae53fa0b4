"""Functions on frames give the numbers of a study, of every family, whatever frame."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.base.errors import VerificationError
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
    def read(table, release, folder="people"):
        path = demo / folder / table / f"{release}.parquet"
        return FRAMES[request.param](pq.read_table(path))

    return read


def check(demo, found, family, name, kinds):
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


def membership(read, given, *keys):
    both = read("town", 2023), read("survey", 2023)
    qids = QIDS if given["qids"] == "neighbour" else given["qids"]
    return microleak.membership(*both, qids, **{name: given[name] for name in keys})


def panel(read, _):
    values = ["asthma", "diabetes", "HIV"]
    return microleak.panel(
        read("town", 2022),
        {"2023": read("town", 2023)},
        **{"person_id": "person", "qids": QIDS, "sensitive": SENSITIVE},
        groups={"chronic": {"attribute": "illness", "values": values}},
    )


def with_entities(read, given):
    more = {"entity": "person", "rows": read("town", 2023, "tables")}
    told = {"sensitive": given["sensitive"], "order": given["order"]}
    return microleak.anonymity(read("town", 2023), QIDS, **told, **more)


def mechanism(read, given):
    others = ("name", "table", "focal", "epsilons")
    keys = {name: each for name, each in given.items() if name not in others}
    return microleak.mechanism(read("town", 2023), given["epsilons"], **keys)


def reconstruct(read, given):
    illness = pd.Series(list(read("town", 2023)["illness"]), dtype="str")
    names = ("queries", "errors", "attacks", "entries", "repeats")
    keys = {name: given[name] for name in names}
    return microleak.reconstruct(illness.astype(str) == "asthma", **keys, seed=SEED)


CALLS = {
    ("collective", "town-2023"): (
        lambda read, _: microleak.assess(read("town", 2023), QIDS, SENSITIVE),
        *("collective", "worst", "distribution", "values", "importance", "entropy"),
    ),
    ("collective", "town-2022"): (
        *(panel, "collective", "worst", "distribution", "values", "groups", "gain"),
        *("importance", "entropy"),
    ),
    ("targets", "somebody"): (
        lambda read, given: microleak.target(
            read("town", 2023), given["known"], given["sensitive"], given["further"]
        ),
        *("target", "further"),
    ),
    ("membership", "asked"): (
        lambda *given: membership(*given, "roughly", "design", "sensitive"),
        *("membership", "presence", "uniques", "rough_membership"),
        *("designs", "answers"),
    ),
    ("membership", "districts"): (
        lambda *given: membership(*given, "fingerprint", "subsets"),
        *("membership", "fingerprints"),
    ),
    ("anonymity", "town-models"): (with_entities, "anonymity", "classes"),
    ("anonymity", "survey-models"): (
        lambda read, _: microleak.anonymity(
            read("survey", 2023), QIDS, ["smokes"], population=read("town", 2023)
        ),
        *("anonymity", "classes"),
    ),
    **dict.fromkeys(
        (("mechanism", "high-incomes"), ("mechanism", "pairs")),
        (mechanism, "mechanism", "pairs", "samples", "simulated"),
    ),
    ("reconstruction", "ill"): (reconstruct, "reconstruction", "bad_points"),
}


@pytest.mark.parametrize(("family", "name"), CALLS)
def test_a_function_finds_what_the_analysis_of_a_study_does(demo, frames, family, name):
    call, *kinds = CALLS[family, name]
    given = next((g for g in ANALYSES[family] if g["name"] == name), None)
    check(demo, call(frames, given), family, name, kinds)


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


def test_a_table_that_was_changed_since_is_refused(demo):
    opened = microleak.open_results(demo)
    path = demo / "measures/collective/town-2023.csv"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept.replace(b"0.", b"1.", 1))
        with pytest.raises(VerificationError, match="was changed"):
            opened["collective/town-2023"]
    finally:
        path.write_bytes(kept)
