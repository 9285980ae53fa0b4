"""The schema describes every key, and the documentation says what it says."""

from pathlib import Path

import pytest

from microleak.errors import StudyError
from microleak.paths import CONFIG, ROOT
from microleak.study.config import load_study
from microleak.study.schema import _keys, check, documentation, schema

STUDIES = sorted([*CONFIG.glob("*.yaml"), *CONFIG.glob("examples/*.yaml")])


def test_every_key_is_described():
    missing = [key for key, part in _keys(schema(), "") if not part.get("description")]
    assert missing == []


def test_docs_study_file_is_made_from_the_schema():
    written = Path(ROOT, "docs", "study-file.md").read_text(encoding="utf-8")
    assert written == documentation(), "run make docs"


@pytest.mark.parametrize(
    "path", [p for p in STUDIES if p.name != "schema.yaml"], ids=lambda p: p.stem
)
def test_every_study_in_the_repository_fits_the_schema(path):
    assert load_study(path).name == path.stem


@pytest.mark.parametrize(
    ("family", "part", "words"),
    [
        (
            "mechanism",
            {"order": ["low", "low"]},
            "order is a list, with an entry given twice: Values from low to high, each "
            "once.",
        ),
        (
            "reconstruction",
            {"outliers": ["0.10"]},
            ": A share of outliers is 0, or below 1 with at most nine decimals of "
            "which the last is not 0, as 0.1.",
        ),
        (
            "reconstruction",
            {"points": {"steps": 1, "distance": "1", "number": 1}},
            ": A distance is 0, or below 1 with at most nine decimals of which the "
            "last is not 0, as 0.1.",
        ),
        (
            "mechanism",
            {"models": ["locally"]},
            ": A mechanism is `oblivious`, `local` or `randomised_response`.",
        ),
        (
            "reconstruction",
            {"attacks": ["guess"]},
            ": An attack is one of these names, each described at `attacks`.",
        ),
    ],
)
def test_a_fault_in_a_list_ends_with_what_was_expected(family, part, words):
    whole = {
        "mechanism": {"table": "people", "focal": 2015, "epsilons": ["1"]},
        "reconstruction": {"entries": [5], "queries": [5], "errors": [1]},
    }
    analysis = {"name": "one", **whole[family], **part}
    study = {"study": "demo", "seed": 7, "analyses": {family: [analysis]}}
    with pytest.raises(StudyError) as refused:
        check(study, Path("demo.yaml"))
    assert str(refused.value).endswith(words)
