"""What a release of a source looks like: format, names by year and domains.

Nothing of it is in code: it is read from config/sources/SOURCE.yaml,
config/names/SOURCE.csv and config/domains/SOURCE.csv, and for delimited text
from the study's options.
"""

import csv
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from microleak.errors import StudyError
from microleak.paths import CONFIG
from microleak.sources.member import printable
from microleak.sources.options import checked


@dataclass(frozen=True)
class Domain:
    """Values an attribute may have, besides a missing one.

    Attributes
    ----------
    pattern
        Regular expression that the whole value matches, as RE2 reads it.
    expected
        The same in words, for messages.
    """

    pattern: str
    expected: str


@dataclass(frozen=True)
class Replacement:
    """Another kind of file, released later under the same name.

    Attributes
    ----------
    column
        Name of a column that only that kind of file has.
    by
        What it is, for messages.
    """

    column: str
    by: str


@dataclass(frozen=True)
class SourceDefinition:
    """How one release of a source is written.

    Attributes
    ----------
    source, release
        Names as in the study file.
    members
        Regular expression of the members' base names.
    delimiter, quote, encoding
        Of the text; without a quote, values never hold a delimiter or line end.
    missing
        Texts that stand for a missing value, quoted or not.
    person_id, record_id
        Attributes that identify the person and the record, if there are any.
        Without a person_id each record is its own person.
    names
        Newest attribute name -> this release's official name, in the table's
        order; empty if the file's own header names the attributes.
    unreleased
        Attributes of the source that this release does not have.
    domains
        Attribute -> values it may have; an attribute that is not there may
        have any.
    replaced
        The kind of file that now goes by this one's name, if there is one.
    """

    source: str
    release: str
    members: str
    delimiter: str
    encoding: str
    missing: tuple[str, ...]
    person_id: str | None
    record_id: str | None
    names: Mapping[str, str]
    domains: Mapping[str, Domain]
    quote: str | None = None
    unreleased: tuple[str, ...] = ()
    replaced: Replacement | None = None

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The person's and the record's identifier, those that there are."""
        both = (self.person_id, self.record_id)
        return tuple(dict.fromkeys(name for name in both if name))

    def official(self, attribute: str) -> str:
        """Name of an attribute in this release's header."""
        return self.names.get(attribute, attribute)


def source_definition(
    source: str, release: str, options: Mapping[str, Any]
) -> SourceDefinition:
    """Definition of one release.

    Parameters
    ----------
    source
        Name of a file in config/sources/, without its ending.
    release
        Name of the release; for a source with names by year, a column of its
        file in config/names/.
    options
        The table's options in the study file.

    Raises
    ------
    StudyError
        If the source, the release or an option is not known, or an option's
        value cannot be.

    Examples
    --------
    >>> census = source_definition("inep_school_census", "2014", {})
    >>> census.official("CO_ENTIDADE")
    'PK_COD_ENTIDADE'
    """
    settings = _settings(source)
    for option in options:
        if option not in settings["options"]:
            raise StudyError(_unknown_option(option, source, settings["options"]))
    names, unreleased = _names(source, release)
    replaced = settings["replaced"]
    values = checked({**settings, **options})
    patterns = values.pop("domains")
    own = {
        name: Domain(p, f"a value matching {printable(p)}")
        for name, p in patterns.items()
    }
    return SourceDefinition(
        source=source,
        release=release,
        members=settings["members"],
        quote=settings["quote"],
        names=names,
        unreleased=unreleased,
        replaced=Replacement(**replaced) if replaced else None,
        domains=own | _domains(source, release),
        **values,
    )


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Words that suggest the known name most like `name`, or none.

    Names less alike than `likeness`, in [0, 1], are not shown.

    >>> nearest("TP_SEX", ["TP_SEXO", "NU_DIA"])
    ' Did you mean TP_SEXO?'
    """
    close = difflib.get_close_matches(name, sorted(known), 1, likeness)
    return f" Did you mean {close[0]}?" if close else ""


def _settings(source: str) -> dict[str, Any]:
    known = sorted(path.stem for path in (CONFIG / "sources").glob("*.yaml"))
    if source not in known:
        raise StudyError(
            f"source {source} is not known; there are {', '.join(known)}."
            f"{nearest(source, known)} Correct source in the study file."
        )
    text = (CONFIG / "sources" / f"{source}.yaml").read_text("utf-8")
    settings: dict[str, Any] = yaml.safe_load(text)
    return settings


def _names(source: str, release: str) -> tuple[dict[str, str], tuple[str, ...]]:
    rows = _rows(CONFIG / "names" / f"{source}.csv")
    if not rows:
        return {}, ()
    releases = [name for name in rows[0] if name not in {"attribute", "meaning"}]
    if release not in releases:
        raise StudyError(
            f"{source} has no release {release}; there are {', '.join(releases)}. "
            f"Correct releases in the study file, or add a column {release} to "
            f"config/names/{source}.csv and its domains to config/domains/{source}.csv."
        )
    names = {row["attribute"]: row[release] for row in rows if row[release]}
    return names, tuple(row["attribute"] for row in rows if not row[release])


def _domains(source: str, release: str) -> dict[str, Domain]:
    return {
        row["attribute"]: Domain(row["pattern"], row["expected"])
        for row in _rows(CONFIG / "domains" / f"{source}.csv")
        if int(row["first"]) <= int(release) <= int(row["last"])
    }


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _unknown_option(option: str, source: str, allowed: list[str]) -> str:
    known = ", ".join(allowed) or "none"
    return (
        f"options of {source}: {option} is not known; there are: {known}."
        f"{nearest(option, allowed)} Correct options in the study file."
    )
