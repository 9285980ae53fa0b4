"""Anonymity analyses as the study file gives them, checked."""

from collections.abc import Sequence
from dataclasses import replace

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.base.errors import StudyError, nearest
from microleak.records.compared import TableRelease
from microleak.records.subsets import subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import check_possible, check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.pairs import Given, pair_of


def read(context: Context, given: Sequence[Given]) -> list[Anonymity]:
    """Return the anonymity analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, an order to
        one that is not sensitive, or a size to a population that has a table.
    """
    return [_anonymity(context, part) for part in given]


def _anonymity(context: Context, part: Given) -> Anonymity:
    where = f"{context.path}: analysis {part['name']!r}"
    own = TableRelease(part["table"], str(part["focal"]))
    table = context.table(own.table, (own.release,), where)
    analysis = Anonymity(
        name=part["name"],
        table=own.table,
        focal=own.release,
        qids=context.qids(part["qids"], where),
        wanted=part.get("subsets", "all"),
        sensitive=tuple(part.get("sensitive", ())),
        order={name: tuple(each) for name, each in part.get("order", {}).items()},
        entity=part.get("entity"),
        n_population=part.get("n_population"),
    )
    _check_anonymity(analysis, definition_of(table, own.release), where)
    if "population" not in part:
        return analysis
    return _with_population(context, part["population"], analysis, where)


def _with_population(
    context: Context, given: Given, analysis: Anonymity, where: str
) -> Anonymity:
    if analysis.n_population is not None:
        raise StudyError(
            f"{where}: both population and n_population are given, and a table of the "
            "population has its size. Remove one of them."
        )
    population = TableRelease(given["table"], str(given["release"]))
    pair = pair_of(context, population, analysis.own, where)
    return replace(
        analysis, population=population, crosswalk=pair.by_sample(analysis.qids)
    )


def _check_anonymity(
    analysis: Anonymity, definition: SourceDefinition, where: str
) -> None:
    subsets_of(len(analysis.qids), analysis.wanted, where)
    check_roles(analysis.qids, analysis.sensitive, definition, where)
    check_released((*analysis.qids, *analysis.sensitive), definition, where)
    _check_entity(analysis, definition, where)
    for attribute, values in analysis.order.items():
        said = f"{where}: order of {attribute}"
        if attribute not in analysis.sensitive:
            raise StudyError(
                f"{said}: it is not among the sensitive attributes."
                f"{nearest(attribute, analysis.sensitive)} Add it to sensitive, or "
                "remove it from order."
            )
        check_possible(values, definition, attribute, said)


def _check_entity(
    analysis: Anonymity, definition: SourceDefinition, where: str
) -> None:
    entity = analysis.entity
    if entity is None:
        return
    if entity in (*analysis.qids, *analysis.sensitive):
        role = "a QID" if entity in analysis.qids else "sensitive"
        raise StudyError(
            f"{where}: {entity} is both the entity and {role}. Remove it from one."
        )
    if entity not in definition.identifiers:
        check_released((entity,), definition, where)
