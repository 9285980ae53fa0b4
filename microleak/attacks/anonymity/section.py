"""Anonymity analyses as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.base.errors import StudyError, did_you_mean
from microleak.records.compared import TableRelease
from microleak.records.subsets import subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import (
    check_possible,
    check_released,
    check_roles,
    pair_of,
)
from microleak.study_file.context import Context, definition_of

SECTION = Anonymity
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Anonymity]) -> list[Anonymity]:
    """Return the anonymity analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, an order to
        one that is not sensitive, or a size to a population that has a table.
    """
    return [_anonymity(context, section) for section in sections]


def _anonymity(context: Context, section: Anonymity) -> Anonymity:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    _check_anonymity(section, definition_of(table, section.focal), where)
    if section.entity is not None and section.focal in table.protections:
        raise StudyError(
            f"{where}: entity counts the rows of a release as it was read, and "
            f"{section.focal} is a protected one, with one record a person. Remove "
            "entity, or attack the release that it is made of."
        )
    section = section.with_margins(where)
    if section.population is None:
        return section
    population = TableRelease(**dict(section.population))
    pair = pair_of(context, population, section.own, where)
    return section.model_copy(update={"crosswalk": pair.by_sample(section.qids)})


def _check_anonymity(
    analysis: Anonymity, definition: SourceDefinition, where: str
) -> None:
    check_roles(analysis.qids, analysis.sensitive, definition, where)
    check_consistent(analysis, where)
    weight = () if analysis.weight is None else (analysis.weight,)
    check_released((*analysis.qids, *analysis.sensitive, *weight), definition, where)
    entity = analysis.entity
    if entity is not None and entity not in definition.identifiers:
        check_released((entity,), definition, where)
    for attribute, values in analysis.order.items():
        said = f"{where}: order of {attribute}"
        check_possible(values, definition, attribute, said)


def check_consistent(analysis: Anonymity, where: str) -> None:
    """Refuse what no release can have: keys that contradict one another.

    Raises
    ------
    StudyError
        If there are too many subsets, an order is not of a sensitive attribute, the
        entity has another role, or there are two sizes of the population.
    """
    subsets_of(len(analysis.qids), analysis.wanted, where)
    for attribute in analysis.order:
        if attribute not in analysis.sensitive:
            raise StudyError(
                f"{where}: order of {attribute}: it is not among the sensitive "
                f"attributes.{did_you_mean(attribute, analysis.sensitive)} Add it to "
                "sensitive, or remove it from order."
            )
    entity = analysis.entity
    for name, what in ((entity, "the entity"), (analysis.weight, "the weight")):
        if name in (*analysis.qids, *analysis.sensitive):
            role = "a QID" if name in analysis.qids else "sensitive"
            raise StudyError(
                f"{where}: {name} is both {what} and {role}. Remove it from one."
            )
    _check_size(analysis, where)


_OF_SIZE = (
    ("population", "n_population", "a table of the population has its size"),
    ("population", "weight", "a table of the population needs no weights"),
    ("population", "margins", "a table of the population has all of them"),
    ("weight", "n_population", "the sum of the weights is its size"),
    ("margins", "n_population", "the first of the margins has its size"),
)
"""Ways to say how many persons the population has, of which one excludes another."""


def _check_size(analysis: Anonymity, where: str) -> None:
    for one, other, why in _OF_SIZE:
        if getattr(analysis, one) and getattr(analysis, other):
            raise StudyError(
                f"{where}: both {one} and {other} are given, and {why}. Remove one of "
                "them."
            )
