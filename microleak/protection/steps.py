"""The steps of a protection, one after another, on the columns of a release."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Mask
from microleak.base.decimals import with_points
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.protection.methods import (
    DataColumn,
    Swapping,
    drawn_pairs,
    generator_of,
    kept_or_other,
    randomised_column,
    relabelled_column,
    rounded_text,
    sampled_records,
    swapped_column,
)
from microleak.protection.rows import BlockTarget
from microleak.protection.suppression import suppressed_columns, suppression_by_sets
from microleak.records.hierarchy import ALIKE, levels_of
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.protections import RandomiseSection, Recipe, StepSection


@dataclass(frozen=True)
class KeptRecords:
    """Records under protection."""

    columns: Mapping[str, DataColumn]  # Attributes that steps name, by their names
    kept: Mask  # Which of the records that there were first are left
    n_suppressed: int = 0  # How many cells steps made missing by suppression
    n_suppressed_at_least: int = 0

    @property
    def n_records(self) -> int:
        return int(self.kept.sum())


def protected_records(records: KeptRecords, recipe: Recipe) -> KeptRecords:
    with progress("protecting records", len(recipe.steps)) as advance:
        for number, step in enumerate(recipe.steps, 1):
            records = after_step(records, recipe, number, step)
            advance(1)
    return records


def after_step(
    records: KeptRecords, recipe: Recipe, number: int, step: StepSection
) -> KeptRecords:
    return _METHODS[step.method](records, _Turn(recipe, number, step))


@dataclass(frozen=True)
class _Turn:
    recipe: Recipe
    number: int
    step: StepSection

    @property
    def where(self) -> str:
        return f"protection {self.recipe.name!r}, step {self.number}"

    def generator(self, attribute: str = "") -> np.random.Generator:
        recipe = self.recipe
        secret = [recipe.secret] if recipe.secret else []
        return generator_of(recipe.seed, *secret, recipe.name, self.number, attribute)


def _without_dropped(records: KeptRecords, turn: _Turn) -> KeptRecords:
    gone = turn.step.drop or ()
    left = {n: column for n, column in records.columns.items() if n not in gone}
    return replace(records, columns=left)


def _each_changed(
    records: KeptRecords, change: Callable[[str, DataColumn], DataColumn], turn: _Turn
) -> KeptRecords:
    new = {name: change(name, records.columns[name]) for name in turn.step.changed}
    return replace(records, columns={**records.columns, **new})


def _with_labels(records: KeptRecords, turn: _Turn) -> KeptRecords:
    def change(name: str, column: DataColumn) -> DataColumn:
        def called(values: Sequence[str | None]) -> Sequence[str | None]:
            hierarchies = turn.recipe.hierarchies
            return labels_of_steps([turn.step], hierarchies, name, values, turn.where)

        return relabelled_column(column, called)

    return _each_changed(records, change, turn)


def labels_of_steps(
    steps: Sequence[StepSection],
    hierarchies: Hierarchies,
    attribute: str,
    values: Sequence[str | None],
    where: str,
) -> Sequence[str | None]:
    """Return what steps call values of an attribute, one step after another.

    >>> steps = [StepSection(round={"income": 10}), StepSection(round={"income": 100})]
    >>> labels_of_steps(steps, {}, "income", ["44", "45", None], "town")
    ['0', '100', None]
    """
    found = values
    for step in steps:
        different = list(dict.fromkeys(found))
        new = _labels_of_step(
            step, hierarchies, attribute, different, f"{where}: {attribute}"
        )
        label = dict(zip(different, new, strict=True))
        found = [label[value] for value in found]
    return found


def _labels_of_step(
    step: StepSection,
    hierarchies: Hierarchies,
    attribute: str,
    values: Sequence[str | None],
    where: str,
) -> Sequence[str | None]:
    if attribute in (step.drop or ()):
        return [ALIKE] * len(values)
    if (level := (step.generalise or {}).get(attribute)) is not None:
        found = levels_of(hierarchies[attribute], values, where)
        # Where the values are alike earlier, the last level is not there.
        return found[level] if level < len(found) else [ALIKE] * len(values)
    if (multiple := (step.round or {}).get(attribute)) is not None:
        with_points([text for text in values if text], f"{where}:")
        return [rounded_text(text, multiple, where) for text in values]
    return values


def _with_random_values(records: KeptRecords, turn: _Turn) -> KeptRecords:
    ways: Mapping[str, RandomiseSection] = turn.step.randomise or {}

    def change(name: str, column: DataColumn) -> DataColumn:
        rng, where = turn.generator(name), f"{turn.where}: {name}"
        chances = ways[name].chances
        if chances is not None:
            return randomised_column(column, chances.exact, rng, where)
        return kept_or_other(column, Fraction(ways[name].keep or "1"), rng, where)

    return _each_changed(records, change, turn)


def _with_swapped_values(records: KeptRecords, turn: _Turn) -> KeptRecords:
    step = turn.step
    swapping = Swapping(
        Fraction(step.rate or "0"),
        [records.columns[name].codes for name in step.within],
        [records.columns[name].codes for name in step.target],
    )
    first, second = drawn_pairs(records.n_records, swapping, turn.generator())
    return _each_changed(
        records, lambda _, column: swapped_column(column, first, second), turn
    )


def _with_suppressed_cells(records: KeptRecords, turn: _Turn) -> KeptRecords:
    # By name, so that the order in which a step has them makes no difference.
    names = sorted(turn.step.changed)
    columns = [records.columns[name] for name in names]
    values = [records.columns[name].codes for name in sorted(turn.step.of)]
    target = _suppression_target(records, turn)
    codes = [column.codes for column in columns]
    sets = {tuple(sorted(map(names.index, each))) for each in turn.step.sets}
    if len(sets) > 1:
        found = suppression_by_sets(codes, sorted(sets), target)
    else:
        found = suppressed_columns(codes, target, values)
    new = {
        name: DataColumn(column.values, own)
        for name, column, own in zip(names, columns, found.codes, strict=True)
    }
    return replace(
        records,
        columns={**records.columns, **new},
        n_suppressed=records.n_suppressed + found.n_cells,
        n_suppressed_at_least=found.at_least,
    )


def _suppression_target(records: KeptRecords, turn: _Turn) -> BlockTarget:
    step, n = turn.step, records.n_records
    if step.k is not None:
        _check_reached(turn, f"k = {step.k} records", step.k, n)
        return BlockTarget(step.k)
    n_values = {
        name: int(np.count_nonzero(records.columns[name].counts)) for name in step.of
    }
    fewest = min(n_values, key=lambda name: n_values[name], default="")
    if step.l is not None:
        asked = f"l = {step.l} values of {fewest}"
        _check_reached(turn, asked, step.l, n_values[fewest])
        return BlockTarget(l=step.l)
    key, share = ("alone", step.alone) if step.alone else ("certain", step.certain)
    n_exempt = (Fraction(share or "0") * n).__floor__()
    if n_exempt < n and n_values.get(fewest, n) == 1:
        one = f"one value of {fewest}" if fewest else "one record"
        raise TableError(
            f"{turn.where}: suppress asks for a share {key} = {share} at most, and "
            f"there is {one}, so that {key} = 1 is the least that can be reached. "
            "Remove the step."
        )
    if step.certain is not None:
        return BlockTarget(l=2, n_exempt=n_exempt)
    return BlockTarget(2, n_exempt=n_exempt)


def _check_reached(turn: _Turn, asked: str, bound: int, most: int) -> None:
    """Refuse blocks of more than there is; of no records there are none."""
    if 0 < most < bound:
        key = asked[0]
        raise TableError(
            f"{turn.where}: suppress asks for blocks of {asked}, and there are {most}, "
            f"so that {key} = {most} is the most that can be reached. Lower {key}, or "
            "remove the step."
        )


def _drawn_records(records: KeptRecords, turn: _Turn) -> KeptRecords:
    rate = Fraction(turn.step.sample or "1")
    is_drawn = sampled_records(records.n_records, rate, turn.generator())
    if records.n_records and not is_drawn.any():
        raise TableError(
            f"{turn.where}: sample keeps none of the {records.n_records} records. "
            "Raise its share, or remove the step."
        )
    kept = records.kept.copy()
    kept[records.kept] = is_drawn
    columns = {
        name: DataColumn(column.values, column.codes[is_drawn])
        for name, column in records.columns.items()
    }
    return replace(records, columns=columns, kept=kept)


_METHODS: Mapping[str, Callable[[KeptRecords, _Turn], KeptRecords]] = {
    "drop": _without_dropped,
    "generalise": _with_labels,
    "round": _with_labels,
    "randomise": _with_random_values,
    "swap": _with_swapped_values,
    "suppress": _with_suppressed_cells,
    "sample": _drawn_records,
}
"""What each method does, by its key."""
