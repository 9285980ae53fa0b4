"""Membership and anonymity analyses as the study file gives them, and their checks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from microleak.errors import StudyError, nearest
from microleak.sources.definition import SourceDefinition
from microleak.study.analyses import Parts, definition_of
from microleak.study.attributes import check_released, check_roles
from microleak.study.members_given import check_files, members_given
from microleak.study.pairs_given import Pair
from microleak.study.possible import check_possible
from microleak.study.samples import COUNT, Anonymity, Membership, TableRelease
from microleak.study.subsets import subsets_of

Given = Mapping[str, Any]
"""An analysis as the study file gives it."""


def memberships(parts: Parts, given: Sequence[Given]) -> list[Membership]:
    """Return the membership analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, compares a release with itself, keeps values
        that no record can have, or says of a target what cannot be.
    """
    found = [_membership(parts, part) for part in given]
    check_files(found, str(parts.path))
    return found


def anonymities(parts: Parts, given: Sequence[Given]) -> list[Anonymity]:
    """Return the anonymity analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, an order to
        one that is not sensitive, or a size to a population that has a table.
    """
    return [_anonymity(parts, part) for part in given]


def _membership(parts: Parts, part: Given) -> Membership:
    where = f"{parts.path}: analysis {part['name']!r}"
    population, sample = (
        TableRelease(part[role]["table"], str(part[role]["release"]))
        for role in ("population", "sample")
    )
    pair = _pair(parts, population, sample, where)
    qids = parts.qids(part["qids"], where)
    keep = {name: tuple(values) for name, values in part.get("filter", {}).items()}
    analysis = Membership(
        name=part["name"],
        population=population,
        sample=sample,
        qids=qids,
        wanted=part.get("subsets", "all"),
        keep=keep,
        not_found=part.get("not_found", COUNT),
        crosswalk=pair.by_population(tuple(dict.fromkeys((*qids, *keep)))),
        targets=members_given(part.get("targets", {}), qids, pair.population, where),
    )
    subsets_of(len(qids), analysis.wanted, where)
    for attribute, values in keep.items():
        said = f"{where}: filter of {attribute}"
        check_possible(values, pair.population, attribute, said)
    return analysis


def _anonymity(parts: Parts, part: Given) -> Anonymity:
    where = f"{parts.path}: analysis {part['name']!r}"
    own = TableRelease(part["table"], str(part["focal"]))
    table = parts.table(own.table, (own.release,), where)
    analysis = Anonymity(
        name=part["name"],
        table=own.table,
        focal=own.release,
        qids=parts.qids(part["qids"], where),
        wanted=part.get("subsets", "all"),
        sensitive=tuple(part.get("sensitive", ())),
        order={name: tuple(each) for name, each in part.get("order", {}).items()},
        entity=part.get("entity"),
        n_population=part.get("n_population"),
    )
    _check_anonymity(analysis, definition_of(table, own.release), where)
    if "population" not in part:
        return analysis
    return _with_population(parts, part["population"], analysis, where)


def _with_population(
    parts: Parts, given: Given, analysis: Anonymity, where: str
) -> Anonymity:
    if analysis.n_population is not None:
        raise StudyError(
            f"{where}: both population and n_population are given, and a table of the "
            "population has its size. Remove one of them."
        )
    population = TableRelease(given["table"], str(given["release"]))
    pair = _pair(parts, population, analysis.own, where)
    return replace(
        analysis, population=population, crosswalk=pair.by_sample(analysis.qids)
    )


def _pair(
    parts: Parts, population: TableRelease, sample: TableRelease, where: str
) -> Pair:
    """Return the definitions of two releases that may have persons in common."""
    if population == sample:
        raise StudyError(
            f"{where}: {sample} is both the population and the sample, so that "
            "everybody is in it. Correct one of them."
        )
    tables = [
        parts.table(one.table, (one.release,), where) for one in (population, sample)
    ]
    sizes = (
        tables[0].releases[population.release].twin_size,
        tables[1].releases[sample.release].twin_size,
    )
    if None not in sizes and sizes[0] != sizes[1]:
        raise StudyError(
            f"{where}: the synthetic releases {population} and {sample} have other "
            "sizes, so they have no persons in common. Give both the same size."
        )
    return Pair(
        definition_of(tables[0], population.release),
        definition_of(tables[1], sample.release),
        where,
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
