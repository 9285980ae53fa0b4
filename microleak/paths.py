"""Where the project's own data files are: beside the package, in the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "config"
SCHEMA = CONFIG / "schema.yaml"
DEFAULT_STUDY = CONFIG / "school-twin.yaml"
