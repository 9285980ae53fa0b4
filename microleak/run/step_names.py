"""What steps are called while a study runs, in words of the language spoken.

The steps.yaml beside the jobs of a family, and that of `microleak.study`, has them:
for each rule what is done with what its wildcards stand for.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from microleak.base.language import language
from microleak.base.paths import PACKAGE, package_yaml
from microleak.families import FAMILIES

FILE = "steps.yaml"


def step_name(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job is called, or its rule and wildcards where nothing says.

    >>> step_name("ingest", {"table": "people", "release": "2018"})
    'reading people 2018'
    >>> step_name("unknown", {"table": "people"})
    'unknown people'
    """
    words = _words().get(rule, {}).get(language())
    if words is None:
        return " ".join((rule, *wildcards.values()))
    return words.format(**wildcards)


@cache
def _words() -> dict[str, dict[str, str]]:
    packages = "microleak.study", *(family.package for family in FAMILIES)
    files = [_file(package) for package in packages]
    each = [package_yaml(file) for file in files if file.exists()]
    return {rule: words for found in each for rule, words in found.items()}


def _file(package: str) -> Path:
    return PACKAGE.parent.joinpath(*package.split("."), FILE)
