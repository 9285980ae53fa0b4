"""Golden numbers that projects share; none where they are not beside the repository."""

import json
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "shared" / "golden" / "golden.json"
needs_golden = pytest.mark.skipif(
    not GOLDEN.exists(), reason="needs ../shared/golden/golden.json"
)


def golden(*beginnings):
    """The entries whose names begin so."""
    known = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else []
    return [entry for entry in known if entry["id"].startswith(beginnings)]
