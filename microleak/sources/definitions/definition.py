"""What a release of a source looks like: format, names by year and domains.

Nothing of it is in code: it is read from config/sources/SOURCE.yaml and from
SOURCE.csv in config/names/, domains/, recodes/ and layouts/, and for delimited
text from the study's options.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from microleak.base.errors import StudyError, did_you_mean
from microleak.base.paths import CONFIG, package_yaml
from microleak.sources.definitions import yearly
from microleak.sources.definitions.options import checked
from microleak.sources.definitions.yearly import Monthly
from microleak.sources.files.member import Member, printable

ROW = "(row)"
"""Column of a checked table with a digest of each row's content, which names it."""


@dataclass(frozen=True)
class Domain:
    """Values an attribute may have, besides a missing one."""

    pattern: str  # Regular expression that the whole value matches, as RE2 reads it
    expected: str  # The same in words, for messages


@dataclass(frozen=True)
class Replacement:
    """Another kind of file, released later under the same name."""

    column: str  # Name of a column that only that kind of file has
    by: str  # What it is, for messages


@dataclass(frozen=True)
class SourceDefinition:
    """How one release of a source is written."""

    # Names as in the study file
    source: str
    release: str
    # What the release is of, as its name says: a state, or None where the
    # source's releases have none, and a year, or else the whole name
    state: str | None
    year: str
    # Regular expression of the members' base names. With groups `month` and
    # `part`, the release is made of the files of all months of a year.
    members: str
    # Of the text; without a quote, values never hold a delimiter or line end
    delimiter: str
    encoding: str
    missing: tuple[str, ...]  # Texts that stand for a missing value, quoted or not
    # Attributes that identify the person and the record, if there are any.
    # Without a person_id each record is its own person.
    person_id: str | None
    record_id: str | None
    # Newest attribute name -> this release's official name, in the table's order;
    # empty if the file's own header names the attributes
    names: Mapping[str, str]
    # Attribute -> values it may have, in the newest codes; an attribute that is
    # not there may have any
    domains: Mapping[str, Domain]
    quote: str | None = None
    # Attributes of the source that this release does not have
    unreleased: tuple[str, ...] = ()
    # Attributes that some release of the source has, where the file's own header
    # names them; empty if they may have any name
    columns: tuple[str, ...] = ()
    # Of a release that is made of months: its files' names and their records
    monthly: Monthly | None = None
    # Attribute -> this release's code -> the newest
    recodes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Regular expression of the base names of members that have no header but
    # fields at fixed places, if there are such
    fixed_width: str | None = None
    # Where those fields are in this release, if that is known
    layout: yearly.FixedWidth | None = None
    # First and last years within which a person keeps the identifier; None if it
    # is not known, which is to say that the study has to know
    linked: tuple[tuple[int, int], ...] | None = None
    # The kind of file that now goes by this one's name, if there is one
    replaced: Replacement | None = None
    sheet: str | None = None  # Of a workbook with several tables, the one that is read
    is_dbf: bool = False  # Whether members are tables of dBase, .dbf or packed as .dbc
    # Whether records with a missing value, or one outside its domain, are removed
    # and counted, in the attributes with a domain that are read
    removes: bool = False
    # Of a release that a study makes: attribute -> the step that drops it, for
    # messages
    dropped: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_monthly(self) -> bool:
        return "month" in re.compile(self.members).groupindex

    @property
    def identifiers(self) -> tuple[str, ...]:
        both = (self.person_id, self.record_id)
        return tuple(dict.fromkeys(name for name in both if name))

    @property
    def keys(self) -> tuple[str, ...]:
        """What a checked table begins with: where nothing names a person's rows, ROW.

        Then which row of a person is drawn depends on no choice of attributes.
        """
        is_unnamed = self.person_id is not None and self.record_id is None
        return (*self.identifiers, ROW) if is_unnamed else self.identifiers

    def of(self, member: Member) -> "SourceDefinition":
        """Return itself as a member is written that text is made of."""
        changed: dict[str, Any] = {**member.written}
        if "delimiter" in changed:
            changed["missing"] = tuple(dict.fromkeys(("", *self.missing)))
        return replace(self, **changed) if changed else self

    def official(self, attribute: str) -> str:
        """Name of an attribute in this release's header."""
        return self.names.get(attribute, attribute)

    def is_fixed_width(self, member: str) -> bool:
        pattern = self.fixed_width
        return bool(pattern and re.fullmatch(pattern, member, re.IGNORECASE))

    def links(self, other: str) -> bool:
        """Whether a person's identifier in this release names them in `other` too."""
        # `other` is a release of the same source. Always so for a release and itself,
        # and where `linked` is None; else never for names that are not years.
        if self.linked is None or other == self.release:
            return True
        if not (self.release.isdecimal() and other.isdecimal()):
            return False
        years = (int(self.release), int(other))
        return any(
            first <= min(years) and max(years) <= last for first, last in self.linked
        )


def source_definition(
    source: str, release: str, options: Mapping[str, Any]
) -> SourceDefinition:
    """Definition of one release, by the table's options in the study file."""
    # `release` is a column of config/names/SOURCE.csv, where the source has names by
    # year, or else of the form that `releases` in config/sources/SOURCE.yaml says.
    settings = _settings(source)
    allowed = settings["options"]
    for option in options:
        if option not in allowed:
            raise StudyError(
                f"options of {source}: {option} is not known; there are: "
                f"{', '.join(allowed) or 'none'}.{did_you_mean(option, allowed)} "
                "Correct options in the study file."
            )
    place = _placed(source, release, settings)
    names, unreleased = yearly.names(source, release)
    replaced, linked = settings["replaced"], settings["linked"]
    monthly = settings.get("monthly")
    values = checked({**settings, **options})
    patterns = values.pop("domains")
    own = {
        name: Domain(p, f"a value matching {printable(p)}")
        for name, p in patterns.items()
    }
    of_year = yearly.domains(source, place["year"])
    known = {name: Domain(*values) for name, values in of_year.items()}
    return SourceDefinition(
        source=source,
        release=release,
        **place,
        quote=settings["quote"],
        names=names,
        unreleased=unreleased,
        columns=tuple(settings.get("columns", ())),
        monthly=Monthly.of(monthly, place["state"], place["year"]) if monthly else None,
        recodes=yearly.recodes(source, place["year"]),
        fixed_width=settings["fixed_width"],
        layout=yearly.layout(source, release),
        linked=None if linked is None else tuple((a, b) for a, b in linked),
        replaced=Replacement(**replaced) if replaced else None,
        is_dbf=settings.get("dbf", False),
        removes=settings.get("removes", False),
        domains=own | known,
        **values,
    )


@cache
def twins() -> Mapping[str, str]:
    found = {name: _settings(name).get("twin") for name in source_names()}
    return {name: twin for name, twin in found.items() if twin}


def source_names() -> list[str]:
    return sorted(path.stem for path in (CONFIG / "sources").glob("*.yaml"))


@cache
def _settings(source: str) -> Mapping[str, Any]:
    """Read a source's settings, once in a process: nothing in them is changed."""
    known = source_names()
    if source not in known:
        raise StudyError(
            f"source {source} is not known; there are {', '.join(known)}."
            f"{did_you_mean(source, known)} Correct source in the study file."
        )
    return MappingProxyType(package_yaml(CONFIG / "sources" / f"{source}.yaml"))


def _placed(source: str, release: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    form: Mapping[str, str] | None = settings.get("releases")
    members: str = settings["members"]
    if form is None:
        return {"state": None, "year": release, "members": members}
    found = re.fullmatch(form["pattern"], release)
    if found is None:
        raise StudyError(
            f"{source} has no release {printable(release)}; a release is "
            f"{form['expected']}. Rename it under releases in the study file."
        )
    parts = found.groupdict()
    for name, text in parts.items():
        members = members.replace(f"{{{name}}}", text or "")
    return {"state": parts.get("state"), "year": parts["year"], "members": members}
