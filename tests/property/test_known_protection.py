"""A known protection against beliefs record by record, in exact fractions."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.attacks.known_protection.measure import known_tables
from microleak.attacks.known_protection.section import KnownProtection
from microleak.base.machine import Resources
from microleak.protection.protect import coded_columns, protected_rows
from microleak.protection.rows import BlockTarget
from microleak.protection.steps import KeptRecords, protected_records
from microleak.protection.suppression import suppressed_columns
from microleak.records.chunks import TableChunks
from microleak.study_file.hierarchies import HierarchySection
from microleak.study_file.protections import Recipe, StepSection
from tests.examples import examples

NAMES = ("age", "town", "ill", "state")
VALUES = {
    "age": ["1", "2", "3", "7", None],
    "town": ["a", "b", "c", None],
    "ill": ["y", "n", None],
    "state": ["N", "S"],
}
WIDTHS = {"age": HierarchySection(widths=(2,))}
MATRIX = {
    "perceived": ("a", "b", ""),
    "chances": {"a": ("1/2", "1/2", "0"), "c": ("1/4", "1/2", "1/4")},
}
STEPS = {
    "coarse": [{"generalise": {"age": 1}}],
    "left out": [{"drop": ["town"]}],
    "rounded": [{"round": {"age": 5}}],
    "kept or other": [{"randomise": {"age": {"keep": "0.7"}}}],
    "by a matrix": [{"randomise": {"town": {"chances": MATRIX}}}],
    "swapped": [{"swap": ["town"], "rate": "0.5"}],
    "swapped within": [{"swap": ["age", "town"], "rate": "0.4", "within": ["state"]}],
    "a sample": [{"sample": "0.6"}],
    "illness kept or other": [{"randomise": {"ill": {"keep": "0.6"}}}],
    "illness swapped": [{"swap": ["ill"], "rate": "0.5", "within": ["state"]}],
    "all": [
        {"swap": ["town"], "rate": "0.5", "within": ["state"]},
        {"randomise": {"age": {"keep": "0.7"}, "ill": {"keep": "0.9"}}},
        {"generalise": {"age": 1}},
        {"sample": "0.5"},
    ],
}


@st.composite
def tables(draw, most=9):
    n = draw(st.integers(2, most))
    columns = {
        name: draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        for name, values in VALUES.items()
    }
    return pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()})


def recipe_of(steps, seed):
    return Recipe("one", seed, tuple(StepSection(**step) for step in steps), WIDTHS)


def released(table, recipe):
    towns = {*table["town"].to_pylist()}
    for step in recipe.steps:  # a matrix without a line for any value is refused
        assume("town" not in (step.randomise or {}) or towns & {*MATRIX["chances"]})
    chunks = TableChunks(table)
    before = coded_columns(chunks, recipe.touched)
    records = KeptRecords(before, np.ones(len(table), dtype=bool))
    dropped = {name for step in recipe.steps for name in step.drop or ()}
    names = [name for name in NAMES if name not in dropped]
    after = protected_records(records, recipe)
    return pa.concat_tables(protected_rows(chunks, after, names, lambda _: None))


def labelled(value, step, name):
    """What a value is called after a step that follows from it alone."""
    if name in (step.drop or ()):
        return "*"
    if name in (step.generalise or {}) and value is not None:
        low = int(value) // 2 * 2
        return f"{low}-{low + 1}"
    if name in (step.round or {}) and value is not None:
        return str((int(value) * 2 + 5) // 10 * 5)
    return value


def outcomes(value, section, present):
    if section.chances is not None:
        return section.chances.exact.get(value, {value: Fraction(1)})
    if len(present) < 2:
        return {value: Fraction(1)}
    keep = Fraction(section.keep)
    other = (1 - keep) / (len(present) - 1)
    return {each: keep if each == value else other for each in present}


def chances(rows, recipe):
    """Of each record its ways of being published, as mappings of values to chances."""
    found = [{tuple(row[n] for n in NAMES): Fraction(1)} for row in rows]
    for step in recipe.steps:
        if step.method in {"drop", "generalise", "round"}:
            found = [
                _summed(
                    (tuple(map(lambda v, n: labelled(v, step, n), way, NAMES)), p)
                    for way, p in ways.items()
                )
                for ways in found
            ]
        elif step.method == "randomise":
            for name, section in step.randomise.items():
                at = NAMES.index(name)
                present = {way[at] for ways in found for way in ways}
                found = [
                    _summed(
                        ((*way[:at], new, *way[at + 1 :]), p * q)
                        for way, p in ways.items()
                        for new, q in outcomes(way[at], section, present).items()
                        if q
                    )
                    for ways in found
                ]
        elif step.method == "swap":
            found = swapped(found, step)
    return found


def _summed(pairs):
    found = defaultdict(Fraction)
    for way, p in pairs:
        found[way] += p
    return dict(found)


def swapped(found, step):
    """Each record as it is, or with the values of another one of its group."""
    n = len(found)
    moved = [NAMES.index(name) for name in step.swap]
    within = [NAMES.index(name) for name in step.within]
    n_chosen = int(Fraction(step.rate) * n + Fraction(1, 2))

    def chance_paired(way):
        size = sum(
            p
            for ways in found
            for other, p in ways.items()
            if [other[at] for at in within] == [way[at] for at in within]
        )
        if size.denominator != 1:
            size = Fraction(round(size))
        mean = sum(
            Fraction(comb(int(size), c) * comb(n - int(size), n_chosen - c))
            * min(c + c % 2, size - size % 2)
            for c in range(min(int(size), n_chosen) + 1)
        ) / comb(n, n_chosen)
        return mean / size

    new = []
    for i, ways in enumerate(found):
        mine = defaultdict(Fraction)
        for way, p in ways.items():
            group = [way[at] for at in within]
            partners = defaultdict(Fraction)
            for j, others in enumerate(found):
                for other, q in others.items():
                    if j != i and [other[at] for at in within] == group:
                        given = tuple(other[at] for at in moved)
                        partners[given] += q
            total = sum(partners.values())
            r = chance_paired(way) if total else Fraction(0)
            mine[way] += p * (1 - r)
            for given, weight in partners.items():
                if r and weight:
                    taken = list(way)
                    for at, value in zip(moved, given, strict=True):
                        taken[at] = value
                    mine[tuple(taken)] += p * r * weight / total
        new.append({way: p for way, p in mine.items() if p})
    return new


def by_definition(before, after, recipe, qids, sensitive):
    """Success of re-identification and inference, as the definition has it.

    That of inference is the larger of the belief and of a guess's score by the truth.
    """
    rows, published = before.to_pylist(), after.to_pylist()
    n, m = len(rows), len(published)
    places = [NAMES.index(name) for name in qids]
    at_ill = NAMES.index(sensitive)
    ways = chances(rows, recipe)
    of_record = [
        _summed((tuple(w[at] for at in places), p) for w, p in each.items())
        for each in ways
    ]
    t_of = [tuple(row[name] for name in qids) for row in rows]
    z_of = [
        tuple(row.get(name, "*") if name in row else "*" for name in qids)
        for row in published
    ]
    mean = _summed((z, p / n) for each in of_record for z, p in each.items())
    # Of a published illness, what is believed of the true one.
    ill = [row[sensitive] for row in rows]
    prior = {value: Fraction(count, n) for value, count in Counter(ill).items()}
    joint = defaultdict(Fraction)
    for value, each in zip(ill, ways, strict=True):
        for way, p in each.items():
            joint[way[at_ill], value] += p
    by_label = _summed((label, p) for (label, _), p in joint.items())

    reidentified = certain = right = sure = scored = Fraction(0)
    for t, true in zip(t_of, ill, strict=True):
        same = [each for own, each in zip(t_of, of_record, strict=True) if own == t]
        given = _summed((z, p / len(same)) for each in same for z, p in each.items())
        weights = [given.get(z, 0) / mean[z] if z in given else 0 for z in z_of]
        absent = max(n - sum(weights), 0) if m < n else 0
        total = sum(weights) + absent
        best = guesses(
            [(row[sensitive], w) for w, row in zip(weights, published, strict=True)],
            {pair: p / by_label[pair[0]] for pair, p in joint.items()},
            prior,
        )
        scored += Fraction(true in best, len(best))
        if total:
            reidentified += max(weights) / total
            certain += not absent and sum(w > 0 for w in weights) == 1
            belief = defaultdict(Fraction)
            for w, row in zip(weights, published, strict=True):
                for value in prior if w else ():
                    label = row[sensitive]
                    belief[value] += w * joint[label, value] / by_label[label] / total
            for value, p in prior.items():
                belief[value] += p * absent / total
            right += max(belief.values())
            sure += sum(b > 0 for b in belief.values()) == 1
        else:
            right += max(prior.values())
    return [each / n for each in (certain, reidentified, sure, max(right, scored))]


def guesses(weighed, said, prior):
    """The values that most records of a block have, by 200 rounds from the prior."""
    n_of = _summed((label, w) for label, w in weighed if w)
    if not n_of:
        return [y for y, p in prior.items() if p == max(prior.values())]
    found = {y: float(p) for y, p in prior.items()}
    for _ in range(200):
        new = dict.fromkeys(prior, 0.0)
        for label, n in n_of.items():
            each = {
                y: float(said.get((label, y), 0)) * found[y] / float(p)
                for y, p in prior.items()
            }
            for y, weight in each.items():
                new[y] += float(n) * weight / sum(each.values())
        found = new
    return [y for y, each in found.items() if each >= max(found.values()) * (1 - 1e-9)]


def measured(before, after, recipe, qids, sensitive=("ill",)):
    analysis = KnownProtection(
        **{"name": "known", "table": "people", "focal": "one", "release": "1"},
        **{"qids": qids, "sensitive": sensitive},
        **{"steps": recipe.steps, "hierarchies": recipe.hierarchies},
    )
    return known_tables(before, after, analysis, Resources(1, 4000, Path()))


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@given(table=tables(), seed=st.integers(0, 1000))
@examples(100, most=9)
def test_beliefs_are_those_of_every_record_by_bayes(steps, table, seed):
    recipe = recipe_of(steps, seed)
    after = released(table, recipe)
    qids = ("age", "town")
    found = measured(table, after, recipe, qids)["known_protection"]
    shares = found[["posterior_det", "posterior_prob"]].to_numpy().ravel()
    expected = by_definition(table, after, recipe, qids, "ill")
    assert shares == pytest.approx([*map(float, expected)], abs=1e-9)


@pytest.mark.long
def test_values_ruled_out_by_minimality_are_hardly_ever_the_true_ones():
    n_cells = n_wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(8, 200)), int(rng.integers(2, 5))
        true = [(rng.zipf(1.6, n) % 9 + 1).astype(np.uint8) for _ in range(3)]
        rows = [*zip(*suppressed_columns(true, BlockTarget(k)).codes, strict=True)]
        sizes = Counter(rows)
        for i, row in enumerate(rows):
            for at in range(3):
                if row[at] == 0 and sizes[row] > k:
                    n_cells += 1
                    restored = (*row[:at], true[at][i], *row[at + 1 :])
                    n_wrong += restored in sizes
    assert n_cells > 400
    assert n_wrong < n_cells / 100


@given(table=tables(most=14))
@examples(50)
def test_without_a_protection_success_is_that_of_the_release(table):
    recipe = recipe_of([], 0)
    rows = measured(table, table, recipe, ("age", "town"))["known_protection"]
    for _, row in rows.iterrows():
        assert row.posterior_det == pytest.approx(row.posterior_det_before)
        assert row.posterior_prob == pytest.approx(row.posterior_prob_before)
        assert row.claimed == pytest.approx(row.posterior_det_before)
        assert row.claimed_right == pytest.approx(row.claimed)
