"""Where things are: the project's own data files, in the checkout; results."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config"
SCHEMA = CONFIG / "schema.yaml"
DEFAULT_STUDY = CONFIG / "school-twin.yaml"
MANIFEST = "manifest.json"
"""Name of a study's manifest, below its results."""
RESULTS = Path("results")
"""Folder of all studies' results, below the one where a command is run."""

CODE = "code"
"""Folder of the copy, below the study's results."""
