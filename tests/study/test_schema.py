"""The schema describes every key, and the documentation says what it says."""

from pathlib import Path

import pytest

from microleak.paths import CONFIG, ROOT
from microleak.study.config import load_study
from microleak.study.schema import _keys, documentation, schema

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
