"""Analyses of links without an identifier, as the study file gives them.

What is known of a target is checked without showing it, its attributes neither.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError, did_you_mean, ordinal
from microleak.base.strict_csv import Csv
from microleak.records.compared import Need
from microleak.records.recoding import Recoding
from microleak.study_file.matrix import checked_csv
from microleak.study_file.section import (
    SECRET,
    AnyAttributes,
    Attribute,
    Attributes,
    Context,
    Known,
    NotEmpty,
    OfRelease,
    Qids,
    TargetName,
    Text,
    as_text,
)

HEADER = ["from", "to"]
"""Columns of a file: a code of the release, and its common value."""

CommonValue = Annotated[
    NotEmpty,
    BeforeValidator(as_text, json_schema_input_type=str | int),
    Field(description="Common values, which are not empty, in quotes."),
]
CommonValues = Annotated[
    NotEmpty | Annotated[dict[Text, CommonValue], Field(min_length=1)],
    Field(
        description="A CSV file with the header `from,to`, or the common value of each "
        "code, as `{CODE: value}`.",
    ),
]
Recoded = dict[
    Attribute,
    Annotated[
        dict[str, CommonValues],
        Field(
            min_length=1,
            description="The releases whose codes are others, each with a file or a "
            "mapping of its codes.",
        ),
    ],
]
"""Common values by attribute and release."""

Recodings = dict[str, dict[str, Recoding]]
"""What is recoded, by release and attribute."""


def recodings_of(
    recoded: Recoded, releases: Collection[str], among: Collection[str], where: str
) -> Recodings:
    """Return what is recoded of attributes `among` those of an analysis, files read."""
    found: Recodings = {}
    for name, codes_of in recoded.items():
        if name not in among:
            raise StudyError(
                f"{where}: recoded has {name}, which is not among stable, drifting and "
                f"qids.{did_you_mean(name, among)} Correct it, or remove it from "
                "recoded."
            )
        for release, codes in codes_of.items():
            if release not in releases:
                raise StudyError(
                    f"{where}: recoded of {name} has release {release}, which is "
                    f"neither {' nor '.join(releases)}. Correct it."
                )
            said = f"{where}: recoded of {name} in {release}"
            found.setdefault(release, {})[name] = (
                _read(Path(codes), said) if isinstance(codes, str) else Recoding(codes)
            )
    return found


def _read(path: Path, where: str) -> Recoding:
    lines = checked_csv(path, where, _faults).lines
    return Recoding({code: value for _, (code, value) in lines}, str(path))


def _faults(found: Csv) -> Iterator[str]:
    if found.header != HEADER or not found.lines:
        yield f"line 1 must be {','.join(HEADER)}, and lines with codes follow."
    line_of: dict[str, int] = {}
    for number, (code, value) in found.lines:
        if not value:
            yield f"line {number} has an empty value, but no code becomes missing."
        first = line_of.setdefault(code, number)
        if first != number:
            yield f"lines {first} and {number} have the same code."


KnownByRelease = Annotated[
    dict[
        str,
        Annotated[
            Known,
            Field(
                description='What is known of a release, as `{ATTRIBUTE: "value"}`; '
                "put values with commas in quotes."
            ),
        ],
    ],
    Field(description="What is known of somebody, by release."),
]

ESTIMATED, IDENTIFIERS = "estimated", "identifiers"
"""Ways to know how values change between two releases."""


class Linkage(OfRelease):
    """How often a person is found in two releases without an identifier.

    Records that agree in all stable attributes may be one person; how likely that is
    follows from the others, as Fellegi and Sunter weigh them, and from nobody being
    two persons. Where both releases have an identifier that links, it says how many of
    the links are right.
    """

    linked: Text = Field(alias="auxiliary")
    """Another release of the table, in which the persons of the focal one are looked
    for."""

    stable: Attributes
    """What does not change and both releases have, as birth, sex and place of birth:
    records of one person agree in all of it."""

    drifting: AnyAttributes = ()
    """What may change and both releases have, as school, home, or race as it is told;
    none of it stable. One may depend on a stable one, or on a drifting one that stands
    before it, as a municipality on the school: name the school first."""

    qids: Qids
    """The quasi-identifiers, which both releases have and the adversary knows of the
    target in both, as a list or the name of a QID set; none an identifier of the person
    or record."""

    sensitive: AnyAttributes = ()
    """Attributes of the focal release that are inferred; none of them a QID, none an
    identifier. Without any, persons are re-identified only."""

    transition: Literal["estimated", "identifiers"] = "estimated"
    """Whether it is `estimated` without an identifier how often values stay, or counted
    of the persons whom both releases identify, by `identifiers`."""

    recoded: Recoded = Field({})
    """Attributes that both releases have in different codings, each with the common
    value of every code, by release: `{TP_ETAPA_ENSINO: {2013: stages-2013.csv}}`, a
    CSV file with the header `from,to` whose path is relative to the folder that the
    command is run in, or `{TP_ETAPA_ENSINO: {2013: {"41": "high school"}}}`. Several
    codes may have one common value; a release that is not named has common values
    already. Missing values stay missing. Only this analysis uses the common values, for
    all that it measures; `targets` have the codes of the releases."""

    targets: Annotated[
        dict[TargetName, Annotated[KnownByRelease, Field(min_length=1)]],
        Field(json_schema_extra=SECRET),
    ] = Field({}, repr=False)
    """Persons to look for in both releases, by names of your own, each with the values
    that the adversary knows by release, as `{somebody: {2018: {TP_SEXO: "2"}, 2019:
    {CO_MUNICIPIO: "3106200"}}}`. Texts as in the newest coding, in quotes, of QIDs of
    the analysis only; `null` is a missing value, or a person who is not in the
    auxiliary release. Do not use the person's name. What is found is written to
    `confidential/` among the results. The study file itself then says something of a
    person - keep it accordingly."""

    person_id: SkipJsonSchema[str | None] = None
    """The identifier that says which links are right; found by reading."""

    recodings: SkipJsonSchema[Recodings] = Field({})
    """What `recoded` says, with its files; found by reading."""

    @property
    def common(self) -> tuple[str, ...]:
        """Attributes that both releases must have."""
        return tuple(dict.fromkeys((*self.stable, *self.drifting, *self.qids)))

    @property
    def needs(self) -> Iterator[Need]:
        of_focal = tuple(dict.fromkeys((*self.common, *self.sensitive)))
        yield self.table, self.focal, of_focal
        yield self.table, self.linked, self.common

    def checked(self, where: str) -> Self:
        """Refuse what is both stable and drifting; read the files of `recoded`."""
        for name in self.drifting:
            if name in self.stable:
                raise StudyError(
                    f"{where}: {name} is both stable and drifting, but what may change "
                    "need not agree. Remove it from one."
                )
        releases = self.focal, self.linked
        recodings = recodings_of(self.recoded, releases, self.common, where)
        return self.model_copy(update={"recodings": recodings})

    @property
    def linked_files(self) -> dict[str, str]:
        """Target by the name of its table, without an ending."""
        return {f"{self.name}-{target}": target for target in self.targets}


SECTION = Linkage


def read(context: Context, sections: Sequence[Linkage]) -> list[Linkage]:
    """Return the analyses, each checked, with the identifier that links, if any."""
    found = [_analysis(context, section) for section in sections]
    files = [file for analysis in found for file in analysis.linked_files]
    context.check_target_files(files, "linkage")
    return found


def _analysis(context: Context, section: Linkage) -> Linkage:
    where = context.where(section)
    context.table(section.table, (section.focal, section.linked), where)
    if section.focal == section.linked:
        raise StudyError(
            f"{where}: release {section.focal} is both focal and auxiliary, so that "
            "everybody is linked. Correct auxiliary."
        )
    whole = section.checked(where)
    focal = context.release(section.table, section.focal, where)
    auxiliary = context.release(section.table, section.linked, where)
    focal.check_roles(section.qids, section.sensitive)
    focal.check_roles((*section.stable, *section.drifting))
    focal.check_released((*section.common, *section.sensitive))
    auxiliary.check_released(section.common)
    both = {section.focal: focal, section.linked: auxiliary}
    for place, known in enumerate(section.targets.values(), 1):
        _check_target(known, section, both, f"the {ordinal(place)} of targets")
    person_id = context.linking_identifier(
        section.table, section.focal, [section.linked]
    )
    if section.transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            f"{where}: transition is counted by identifiers, but no identifier names "
            f"the same persons in {section.focal} and {section.linked} of "
            f"{section.table}. Set transition to estimated or, of a delimited table, "
            "give options.person_id."
        )
    return whole.model_copy(update={"person_id": person_id})


def _check_target(
    known: Mapping[str, Any], section: Linkage, both: Mapping[str, Any], what: str
) -> None:
    for place, (release, values) in enumerate(known.items(), 1):
        if release not in both:
            raise StudyError(
                f"{both[section.focal].where}: {what}: the {ordinal(place)} release is "
                f"neither {section.focal} nor {section.linked}. Give what is known by "
                f'these, as {{{section.focal}: {{{section.qids[0]}: "value"}}}}.'
            )
        both[release].check_known_qids(values, section.qids, what)
        both[release].check_known_values(values, what)


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of analyses: of what is known the attributes alone."""
    return [_told(analysis) for analysis in given]


def _told(analysis: Mapping[str, Any]) -> dict[str, Any]:
    if "targets" not in analysis:
        return {**analysis}
    known = {
        name: {release: list(values) for release, values in of.items()}
        for name, of in analysis["targets"].items()
    }
    return {**analysis, "targets": known}
