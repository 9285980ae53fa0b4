"""Releases made of others and tabulations, checked against what they are made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _
from pathlib import Path
from types import MappingProxyType

from microleak.base.errors import StudyError
from microleak.study_file.attributes import NamedRelease, check_released
from microleak.study_file.context import Context, definition_of
from microleak.study_file.hierarchies import Hierarchies, check_hierarchies, n_levels
from microleak.study_file.keys import check_key
from microleak.study_file.model import Table
from microleak.study_file.protections import (
    PoolSection,
    ProtectionSection,
    RandomiseSection,
    StepSection,
    TabulationSection,
)
from microleak.study_file.rough import read_confusion
from microleak.study_file.units import UnitsSection


def with_protections(context: Context) -> dict[str, Table]:
    tables = dict(context.tables)
    for name, section in context.file.protections.items():
        where = f"{context.path}: protection {name!r}"
        _check_name(name, tables, where)
        now = replace(context, tables=tables)
        table = now.table(section.table, (section.release,), where)
        checked = _checked_protection(section, table, now, where)
        protections = {**table.protections, name: checked}
        tables[table.name] = replace(table, protections=protections)
    return tables


def _check_name(name: str, tables: Mapping[str, Table], where: str) -> None:
    for table in tables.values():
        made = {**table.protections, **table.pools, **table.units}
        if name in {**table.releases, **made}:
            raise StudyError(
                f"{where} has the name of a release of {table.name}, so that nobody "
                "could tell them apart. Rename it."
            )


def _checked_protection(
    section: ProtectionSection, table: Table, context: Context, where: str
) -> ProtectionSection:
    definition = definition_of(table, section.release)
    for attribute in section.named:
        if attribute in definition.identifiers:
            raise StudyError(
                f"{where}: {attribute} identifies persons or records. It stays, to "
                "link releases by, and microleak protect leaves it out of what it "
                "writes. Remove it."
            )
    check_released(section.named, definition, where)
    for attribute in section.attributes:
        if attribute in section.dropped:
            raise StudyError(
                f"{where}: {attribute} is dropped, and is among its attributes. Remove "
                "it from one."
            )
    made_of = {n: table.protections[n] for n in table.chain_names(section.release)}
    check_order(section.steps, where, made_of)
    if section.key is not None:
        check_key(Path(section.key), where, known_files(context))
    hierarchies = context.file.hierarchies
    return section.model_copy(
        update={"steps": checked_steps(section.steps, hierarchies, where)}
    )


def known_files(context: Context) -> list[Path]:
    """Return what others may have: the study file and the archives of its releases."""
    releases = (each for t in context.tables.values() for each in t.releases.values())
    return [context.path, *(Path(each.archive) for each in releases if each.archive)]


def with_pools(context: Context) -> dict[str, Table]:
    tables = dict(context.tables)
    for name, section in context.file.pooled.items():
        where = f"{context.path}: pooled {name!r}"
        _check_name(name, tables, where)
        table = context.table(section.table, section.releases, where)
        _check_pool(section, table, where)
        pools = {**tables[table.name].pools, name: section}
        tables[table.name] = replace(tables[table.name], pools=pools)
    return tables


def _check_pool(section: PoolSection, table: Table, where: str) -> None:
    part_of: dict[str, str] = {}
    for release in section.releases:
        origin = table.origin(release).name
        if origin in part_of:
            raise StudyError(
                f"{where}: {part_of[origin]} and {release} both have the records of "
                f"{origin}, which would count twice. Remove one of them."
            )
        part_of[origin] = release
        definition = definition_of(table, release)
        if definition.person_id is not None:
            raise StudyError(
                f"{where}: {definition.person_id} identifies persons of {table.name}, "
                "and someone who is in two releases would count twice. Remove it, or "
                "link the releases with auxiliary."
            )
        if section.attribute in {*definition.names, *definition.columns}:
            raise StudyError(
                f"{where}: {table.source} has an attribute {section.attribute} of its "
                "own. Give the name of the release another one."
            )


def with_units(context: Context) -> dict[str, Table]:
    for name, section in context.file.units.items():
        where = f"{context.path}: units {name!r}"
        _check_name(name, context.tables, where)
        table = context.table(section.table, (section.release,), where)
        _check_units(section, table, context, where)
        made = replace(table, units={**table.units, name: section})
        context = replace(context, tables={**context.tables, table.name: made})
    return dict(context.tables)


def _check_units(
    section: UnitsSection, table: Table, context: Context, where: str
) -> None:
    definition = definition_of(table, section.release)
    for attribute in section.made:
        taken = {*definition.names, *definition.columns, *section.named}
        if section.release in table.units:
            taken |= {*table.units[section.release].made}
        if attribute in section.facts:
            taken |= {*definition.unreleased}
        if attribute in taken:
            raise StudyError(
                f"{where}: {table.name} has an attribute {attribute} of its own. Give "
                "what is known of units another name."
            )
        if section.made.count(attribute) > 1:
            raise StudyError(
                f"{where}: {attribute} is told twice. Remove it from one of them."
            )
    if section.release in table.pools:
        raise StudyError(
            f"{where}: {section.release} is pooled, and the same {section.unit} may be "
            "another unit in each of its releases. Make units of each release."
        )
    named = NamedRelease(table, definition, where)
    if section.unit != definition.person_id:
        named.check((section.unit,))
    for fact in section.facts.values():
        named.check(fact.named)
        for attribute, values in fact.where.items():
            named.check_possible(values, attribute, f"where of {attribute}")
    for each in section.joined:
        joined = context.release(each.table, each.release, f"{where}: joined")
        if each.unit != joined.definition.person_id:
            joined.check((each.unit,))
        joined.check(each.attributes)


def checked_steps(
    steps: tuple[StepSection, ...], hierarchies: Hierarchies, where: str
) -> tuple[StepSection, ...]:
    """Return steps with what their files of chances say."""
    dropped: dict[str, int] = {}
    generalised: dict[str, int] = {}
    found = []
    for number, step in enumerate(steps, 1):
        said = f"{where}, step {number}"
        for attribute in step.named:
            if attribute in dropped:
                raise StudyError(
                    f"{said}: {attribute} was dropped by step {dropped[attribute]}. "
                    "Remove it from one of them."
                )
        for attribute in (*(step.generalise or ()), *(step.round or ())):
            if attribute in generalised:
                raise StudyError(
                    f"{said}: {attribute} was generalised by step "
                    f"{generalised[attribute]} and has labels since then. Give the "
                    "coarser level there, and remove it here."
                )
        generalised |= dict.fromkeys(step.generalise or (), number)
        dropped |= dict.fromkeys(step.drop or (), number)
        _check_levels(step.generalise or {}, hierarchies, said)
        found.append(_with_chances(step, said))
    return tuple(found)


def check_order(
    steps: Sequence[StepSection],
    where: str,
    made_of: Mapping[str, ProtectionSection] = MappingProxyType({}),
) -> None:
    """Refuse a step that may break the target of an earlier one that suppresses."""
    # Steps of somebody else's release are as they are: only who protects asks.
    blocks: dict[str, _BlocksOfStep] = {}
    for protection, section in made_of.items():
        for number, step in enumerate(section.steps, 1):
            _note_blocks(blocks, f"step {number} of protection {protection!r}", step)
    for number, step in enumerate(steps, 1):
        for name, made in blocks.items():
            if made.may_break_by(step):
                advice = "Put suppress last, or remove one of them."
                if step.suppress is not None:
                    advice = "Let one step suppress cells of all these attributes."
                if step.k is not None and made.step.k is not None:
                    advice = (
                        "Let one step suppress for both sets of attributes, as "
                        "suppress: [[A, B], [B, C]]."
                    )
                raise StudyError(
                    f"{where}, step {number}: {step.method} may leave {made.broken} "
                    f"that {name} suppresses cells for. {advice}"
                )
        _note_blocks(blocks, f"step {number}", step)


@dataclass
class _BlocksOfStep:
    attributes: set[str]  # Those left that make the blocks
    values: set[str]  # Sensitive attributes that are left
    step: StepSection

    @property
    def broken(self) -> str:
        """What blocks that do not keep to its target are."""
        step, values = self.step, ", ".join(self.step.of)
        if step.k is not None:
            return f"blocks of fewer than the k = {step.k} records"
        if step.l is not None:
            return f"blocks of fewer than the l = {step.l} values of {values}"
        if step.alone is not None:
            return f"more records alone than the share alone = {step.alone}"
        return (
            f"more records in blocks of one value of {values} than the share certain "
            f"= {step.certain}"
        )

    def may_break_by(self, step: StepSection) -> bool:
        every = self.attributes | self.values
        if not self.attributes or not (self.values or not self.step.of):
            return False
        if step.suppress is not None:
            has_all = any(self.attributes <= {*each} for each in step.sets)
            is_kept = step.keeps(self.step) and self.values.isdisjoint(step.changed)
            is_kept &= has_all
            return not is_kept and not every.isdisjoint(step.changed)
        if step.sample is not None:
            return True
        # Records of a pair change places in the blocks where all of these move, or
        # agree.
        if step.swap is not None and every <= {*step.swap, *step.within}:
            return False
        # Labels join blocks, but values, too.
        drawn = every if step.draws else self.values
        return not drawn.isdisjoint(step.changed)


def _note_blocks(
    blocks: dict[str, _BlocksOfStep], name: str, step: StepSection
) -> None:
    """Note by which attributes there are which blocks after a step."""
    for made in blocks.values():
        made.attributes.difference_update(step.drop or ())
        made.values.difference_update(step.drop or ())
    for number, each in enumerate(step.sets, 1):
        own = f"{name}, set {number}," if len(step.sets) > 1 else name
        blocks[own] = _BlocksOfStep({*each}, {*step.of}, step)


def _check_levels(
    levels: Mapping[str, int], hierarchies: Hierarchies, where: str
) -> None:
    check_hierarchies(hierarchies, levels, where)
    for attribute, level in levels.items():
        last = n_levels(hierarchies[attribute], f"{where}: {attribute}")
        if level > last:
            said = _(
                "{where}: {attribute} has no level {level}; the last one of its "
                "hierarchy, on which all values are alike, is {last}. Correct the "
                "level, or the hierarchy."
            )
            raise StudyError(
                said, where=where, attribute=attribute, level=level, last=last
            )


def _with_chances(step: StepSection, where: str) -> StepSection:
    if step.randomise is None:
        return step
    read: dict[str, RandomiseSection] = {}
    for attribute, how in step.randomise.items():
        read[attribute] = how
        if how.matrix is not None:
            matrix = read_confusion(Path(how.matrix), f"{where}: {attribute}", "matrix")
            read[attribute] = how.model_copy(update={"chances": matrix})
    return step.model_copy(update={"randomise": read})


def checked_tabulations(
    context: Context, named: Collection[str]
) -> tuple[TabulationSection, ...]:
    sections: tuple[TabulationSection, ...] = context.file.tabulations
    names = [section.name for section in sections]
    for section in sections:
        if names.count(section.name) > 1:
            raise StudyError(
                f"{context.path}: tabulations has two named {section.name!r}. Rename "
                "one of them."
            )
        _check_tabulation(section, context, is_named=section.name in named)
    return sections


def _check_tabulation(
    section: TabulationSection, context: Context, is_named: bool
) -> None:
    where = f"{context.path}: tabulation {section.name!r}"
    table = context.table(section.table, (), where)
    if not table.protections and not is_named:
        raise StudyError(
            f"{where}: {table.name} has no protected release, so there is nothing to "
            "compare. Add one under protections, or remove the tabulation."
        )
    for release in {table.origin(name).name: None for name in table.protections}:
        definition = definition_of(table, release)
        for attribute in section.attributes:
            if attribute in definition.identifiers:
                raise StudyError(
                    f"{where}: {attribute} identifies persons or records, so that each "
                    "would be a cell of its own. Remove it from attributes."
                )
        check_released(section.attributes, definition, where)
