"""What steps are called while a study runs, in words of the language spoken.

The tables.yaml of a family, and that of `microleak.study`, has them: for each rule
what is done with what its wildcards stand for.
"""

from collections.abc import Mapping
from functools import cache

from microleak.base.language import spoken_language
from microleak.families import FAMILIES
from microleak.tables.spec import tables_content


def step_name(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job is called, or its rule and wildcards where nothing says.

    >>> step_name("ingest", {"table": "people", "release": "2018"})
    'reading people 2018'
    >>> step_name("unknown", {"table": "people"})
    'unknown people'
    """
    words = _words().get(rule, {}).get(spoken_language())
    if words is None:
        return " ".join((rule, *wildcards.values()))
    return words.format(**wildcards)


@cache
def _words() -> dict[str, dict[str, str]]:
    packages = "microleak.study", *(family.package for family in FAMILIES)
    return {
        rule: words
        for package in packages
        for rule, words in tables_content(package).get("steps", {}).items()
    }
