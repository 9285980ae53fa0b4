"""Copies of the study files with as many schools, courses and lines as the country."""

from pathlib import Path
from typing import Any

import yaml

from papers.facts import CONFIG


def country_study(paper: str, path: Path) -> None:
    """Write a paper's study file with the sizes of the country.

    The study has the name of the paper with `-country` after it, so that its results
    stand beside those of the smaller twins.
    """
    study = yaml.safe_load((CONFIG / f"{paper}.yaml").read_text("utf-8"))
    sizes = yaml.safe_load((CONFIG / "country.yaml").read_text("utf-8"))[paper]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        yaml.safe_dump(enlarged(study, sizes), sort_keys=False), encoding="utf-8"
    )


def enlarged(study: dict[str, Any], sizes: dict[str, Any]) -> dict[str, Any]:
    """Return a study with other sizes of its twins; the study given is not changed.

    Parameters
    ----------
    study
        Content of a study file.
    sizes
        By table and release, what takes the place of `synthetic`.

    Examples
    --------
    >>> study = {"study": "a", "tables": {"t": {"releases": {2018: {}, 2019: {}}}}}
    >>> larger = enlarged(study, {"t": {2018: {"schools": 9}}})
    >>> larger["study"], larger["tables"]["t"]["releases"]
    ('a-country', {2018: {'synthetic': {'schools': 9}}, 2019: {}})
    """
    tables = {
        name: table | {"releases": _releases(table["releases"], sizes.get(name, {}))}
        for name, table in study["tables"].items()
    }
    return study | {"study": f"{study['study']}-country", "tables": tables}


def _releases(releases: dict[Any, Any], sizes: dict[Any, Any]) -> dict[Any, Any]:
    large = {name: {"synthetic": size} for name, size in sizes.items()}
    return releases | large
