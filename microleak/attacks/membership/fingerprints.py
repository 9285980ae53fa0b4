"""Classes of a population recognised in a sample by what their members answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, groupby
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.membership import measure
from microleak.attacks.membership.definitions.answers import rounded_sum
from microleak.attacks.membership.definitions.fingerprints import (
    IDENTIFIED,
    Answering,
    likelihoods,
)
from microleak.attacks.membership.drawn import FingerprintSection
from microleak.attacks.membership.section import Membership
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import sum_of_ratios, values_at
from microleak.kernels.records import Records
from microleak.records.chunks import Given
from microleak.records.coding import coded_with, columns_of, texts_of
from microleak.records.compared import MARK, both_of
from microleak.records.memory import Memory
from microleak.records.memory import counted_values as values_of
from microleak.records.rough import places_of
from microleak.tables.rows import as_table

MOST_NUMBERS = 2**62  # Combinations of values that a number can stand for
Columns = Mapping[str, NDArray[np.integer]]


@dataclass(frozen=True)
class Numbering:
    """Numbers of combinations of values that some rows have, from 0."""

    levels: Sequence[tuple[Integers, int]]

    @property
    def n(self) -> int:
        """How many combinations there are."""
        return len(self.levels[-1][0]) if self.levels else 1

    def of(self, columns: Sequence[NDArray[np.integer]], n_rows: int) -> Integers:
        """Return the number of each row; -1 of a combination that is not there."""
        found = np.zeros(n_rows, dtype=np.int64)
        for (known, width), column in zip(self.levels, columns, strict=True):
            both = np.where(found < 0, -1, found * width + column)
            at = np.minimum(np.searchsorted(known, both), len(known) - 1)
            found = np.where(known[at] == both, at, -1)
        return found


def numbering(
    columns: Sequence[NDArray[np.integer]], widths: Sequence[int]
) -> Numbering:
    """Return numbers of the combinations that some rows have.

    Time O(n log n) a column, of so many codes each.

    >>> two = numbering([np.array([1, 0, 1]), np.array([0, 2, 0])], [2, 3])
    >>> two.n, two.of([np.array([1, 0]), np.array([0, 0])], 2).tolist()
    (2, [1, -1])
    """
    found, levels = np.zeros(1, dtype=np.int64), []
    for width, column in zip(widths, columns, strict=True):
        known, found = np.unique(found * width + column, return_inverse=True)
        levels.append((known, width))
    return Numbering(levels)


@dataclass(frozen=True)
class Asked:
    """A class of the sample."""

    # What its records say, by number, and how many say so
    answers: Integers
    n_records: Integers
    stratum: int
    truth: int  # Its class of the population


@dataclass(frozen=True)
class StrataClasses:
    """Classes of a population in the strata of a sample, and those of the sample."""

    sizes: Integers  # Members of each class of the population
    starts: Integers
    # Which answer is in which class, as answer times all classes plus class, sorted
    lists: Integers
    n_inside: Integers
    said: Integers  # How often both tables have each answer
    n_both: tuple[int, int]  # Records of either table
    asked: Sequence[Asked]  # Classes of the sample

    def having(self, answer: int, stratum: int) -> tuple[Integers, Integers]:
        """Return the classes of a stratum that have an answer, and of how many."""
        # They are numbered from the stratum's first one on.
        ends = answer * len(self.sizes) + self.starts[stratum : stratum + 2]
        begin, end = np.searchsorted(self.lists, ends).tolist()
        return self.lists[begin:end] - ends[0], self.n_inside[begin:end]


@dataclass(frozen=True)
class _Reading:
    """Reads the codes of a population's records, and of a sample's."""

    records: Records
    n_codes: Mapping[str, int]  # Of each column

    def widths(self, names: Sequence[str]) -> list[int]:
        return [self.n_codes[name] for name in names]

    def chunks(self, is_sampled: bool) -> Iterator[Columns]:
        """Yield the columns of one table's records, chunk by chunk."""
        with progress("reading classes", self.records.n_records) as advance:
            for i in range(self.records.n_chunks):
                (mark,) = self.records.chunk(i, [len(self.n_codes)])
                if mark[0] == is_sampled:
                    columns = self.records.chunk(i, range(len(self.n_codes)))
                    yield dict(zip(self.n_codes, columns, strict=True))
                advance(len(mark))


class _Named(NamedTuple):
    """Columns of an analysis by what they are for."""

    analysis: Membership
    within: list[str]
    cluster: list[str]
    labels: list[str]
    truth: list[str]


def _named(analysis: Membership, given: FingerprintSection) -> _Named:
    return _Named(
        analysis,
        within=[*given.within],
        cluster=[*map(measure.of_population, given.cluster)],
        labels=[*map(measure.of_sample, given.labels_or_cluster)],
        truth=[measure.of_sample(given.truth)] if given.truth else [],
    )


def classes_of(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> StrataClasses:
    """Return the classes of both releases."""
    assert analysis.fingerprint is not None, "the job is of analyses that have it"
    named, qids = _named(analysis, analysis.fingerprint), [*analysis.qids]
    columns = dict.fromkeys(chain.from_iterable(named[1:]))
    others = [name for name in columns if name not in qids]
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(qids) + len(others) + len(analysis.filter) + 1
    both = both_of(population, sample, analysis.wide, memory.rows_a_chunk(n_columns))
    memory = memory.for_chunks(n_columns * both.most_rows)
    chunks = measure.SidedChunks(both)
    known = values_of(chunks, columns_of([*qids, *others, MARK]), memory)
    records = coded_with(chunks, known, qids, [*others, MARK])
    read = _Reading(records, {n: len(known[n].values) for n in (*qids, *others)})
    parts = [*read.chunks(is_sampled=True)]
    sampled = {n: np.concatenate([part[n] for part in parts]) for n in parts[0]}
    texts = {n: texts_of(known[n].values) for n in (*named.cluster, *named.truth)}
    n_both = both.population.n_rows, both.sample.n_rows
    return _classes(read, sampled, named, texts, n_both)


def _classes(
    read: _Reading,
    sampled: Columns,
    named: _Named,
    texts: Mapping[str, list[str | None]],
    n_both: tuple[int, int],
) -> StrataClasses:
    qids, n_sample = named.analysis.qids, n_both[1]
    answers = numbering([sampled[n] for n in qids], read.widths(qids))
    strata = numbering([sampled[n] for n in named.within], read.widths(named.within))
    answer = answers.of([sampled[n] for n in qids], n_sample)
    widths = read.widths(named.cluster)
    if strata.n * prod(widths) >= MOST_NUMBERS:
        raise TableError(
            f"analysis {named.analysis.name!r}: fingerprint: cluster has too many "
            "combinations of values. Name fewer attributes there."
        )
    said = np.bincount(answer, minlength=answers.n)
    keys, held = [], []
    for part in read.chunks(is_sampled=False):
        n_rows = len(part[qids[0]])
        key = strata.of([part[n] for n in named.within], n_rows)
        is_kept = key >= 0
        for name, width in zip(named.cluster, widths, strict=True):
            key = key * width + part[name]
        of_part = answers.of([part[n] for n in qids], n_rows)
        said += np.bincount(of_part[of_part >= 0], minlength=answers.n)
        keys.append(key[is_kept])
        held.append(of_part[is_kept].astype(np.int32))
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    inside = np.concatenate(held).astype(np.int64)
    is_asked = inside >= 0
    lists, n_inside = np.unique(
        inside[is_asked] * len(key) + place[is_asked], return_counts=True
    )
    stratum = strata.of([sampled[n] for n in named.within], n_sample)
    truth = _truth(sampled, stratum, named, texts, key)
    return StrataClasses(
        sizes=np.bincount(place, minlength=len(key)),
        starts=np.searchsorted(key, np.arange(strata.n + 1) * prod(widths)),
        lists=lists,
        n_inside=n_inside,
        said=said,
        n_both=n_both,
        asked=_asked(sampled, stratum, answer, truth, named),
    )


def _truth(
    sampled: Columns,
    stratum: Integers,
    named: _Named,
    texts: Mapping[str, list[str | None]],
    key: Integers,
) -> Integers:
    """Return the class of the population of each record of the sample; -1 of none."""
    if not named.truth or not len(key):
        return np.full(len(stratum), -1, dtype=np.int64)
    (own,), (cluster,) = named.truth, named.cluster
    code_of = {text: code for code, text in enumerate(texts[cluster])}
    code = np.array([code_of.get(text, -1) for text in texts[own]])[sampled[own]]
    sought = stratum * len(code_of) + code
    at = np.minimum(np.searchsorted(key, sought), len(key) - 1)
    return np.where((code >= 0) & (key[at] == sought), at, -1)


def _asked(
    sampled: Columns,
    stratum: Integers,
    answer: Integers,
    truth: Integers,
    named: _Named,
) -> list[Asked]:
    of_class, n = places_of([stratum, *(sampled[name] for name in named.labels)])
    if named.truth:
        of_truths = places_of([of_class, sampled[named.truth[0]]])
        if of_truths[1] > n:
            raise TableError(
                f"analysis {named.analysis.name!r}: fingerprint: truth has several "
                f"values in classes of the sample, of which there are {n:,}. Correct "
                "truth or labels."
            )
    order = np.lexsort((answer, of_class))
    starts = np.searchsorted(of_class[order], np.arange(n + 1))
    found = []
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        rows = order[begin:end]
        distinct, n_records = np.unique(answer[rows], return_counts=True)
        one = int(rows[0])
        found.append(Asked(distinct, n_records, int(stratum[one]), int(truth[one])))
    return found


@dataclass(frozen=True)
class Guess:
    """The class of the population that a class of the sample most likely is."""

    chance: Fraction | None  # That it is, by Bayes
    prior: Fraction  # Chance of each class of the stratum before
    best: int = -1  # The class, by number

    @property
    def is_identified(self) -> bool:
        """Whether the chance is as high as an identified class has."""
        return self.chance is not None and self.chance >= IDENTIFIED


def guess(classes: StrataClasses, asked: Asked, answering: Answering) -> Guess:
    """Return what class of the population a class of the sample is, by Bayes."""
    # Only classes of its stratum are weighed that have so many of its answers as must
    # be true ones, found by the lists of the answers.
    begin, end = classes.starts[asked.stratum : asked.stratum + 2].tolist()
    if begin == end:
        return Guess(None, Fraction(0))
    m, prior = int(asked.n_records.sum()), Fraction(1, end - begin)
    lists = [classes.having(a, asked.stratum) for a in asked.answers.tolist()]
    n_common = np.zeros(end - begin, dtype=np.int64)
    for (several, n), d in zip(lists, asked.n_records.tolist(), strict=True):
        # A list has each class once.
        n_common[several] += np.minimum(n, d)
    n_true = m - answering.most_misreported(m)
    is_able = (n_common >= n_true) & (classes.sizes[begin:end] >= m)
    able = np.flatnonzero(is_able)
    if not len(able):
        return Guess(None, prior)
    inside = np.stack([_inside(able, *each) for each in lists], axis=1)
    said = np.append(classes.said[asked.answers], sum(classes.n_both))
    weights = likelihoods(
        asked.n_records, inside, classes.sizes[able + begin], said, answering
    ).tolist()
    whole = sum(weights)
    if not whole:
        return Guess(None, prior)
    most = max(weights)
    is_one = weights.count(most) == 1
    best = begin + int(able[weights.index(most)]) if is_one else -1
    return Guess(Fraction(most, whole), prior, best)


def _inside(able: Integers, having: Integers, n: Integers) -> Integers:
    """Return how many members of some classes have an answer; both are sorted."""
    return values_at(able, having, n) if len(having) else np.zeros_like(able)


def fingerprints(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> pd.DataFrame:
    """Return how many classes are recognised, as the table `fingerprints`."""
    # Takes and raises what `classes_of` does.
    assert analysis.fingerprint is not None, "the job is of analyses that have it"
    classes = classes_of(population, sample, analysis, resources)
    answering, guesses = analysis.fingerprint.answering, []
    with progress("recognising classes", len(classes.asked)) as advance:
        for asked in classes.asked:
            guesses.append(guess(classes, asked, answering))
            advance(1)
    row = {
        **measure.compared_by(analysis.compared, analysis.qids, classes.n_both),
        "n_classes_population": len(classes.sizes),
        "n_classes_sample": len(classes.asked),
        **_chances(guesses),
        **_persons(classes, guesses),
    }
    if analysis.fingerprint.truth is not None:
        row |= _right(classes, guesses)
    return as_table(measure.TABLES["fingerprints"], [row])


def _chances(guesses: Sequence[Guess]) -> dict[str, Any]:
    n = len(guesses)
    chances = [each.chance or Fraction(0) for each in guesses]
    return {
        "n_without_class": sum(each.chance is None for each in guesses),
        "prior_class": float(rounded_sum((1, each.prior) for each in guesses) / n),
        "posterior_class": float(rounded_sum((1, each) for each in chances) / n),
        "n_identified": sum(each.is_identified for each in guesses),
    }


def _persons(classes: StrataClasses, guesses: Sequence[Guess]) -> dict[str, Any]:
    """Count persons of classes that are identified, taken to be these."""
    found, inside = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    n_records = 0
    for asked, each in zip(classes.asked, guesses, strict=True):
        if each.is_identified:
            best = np.array([each.best - classes.starts[asked.stratum]])
            lists = [classes.having(a, asked.stratum) for a in asked.answers.tolist()]
            n = np.concatenate([_inside(best, *several) for several in lists])
            found.append(np.minimum(asked.n_records, n))
            inside.append(n)
            n_records += int(asked.n_records.sum())
    f, n = np.concatenate(found), np.concatenate(inside)
    f, n = f[n > 0], n[n > 0]
    mean = sum_of_ratios(f * f, n) / n_records if n_records else None
    return {
        "n_in_identified": n_records,
        "n_present": int(n[f == n].sum()),
        "posterior_person": None if mean is None else float(mean),
    }


def _right(classes: StrataClasses, guesses: Sequence[Guess]) -> dict[str, Any]:
    """Compare classes with the true ones, the likeliest first."""
    ranked = sorted(
        (
            (each.chance, each.best == asked.truth)
            for asked, each in zip(classes.asked, guesses, strict=True)
            if each.chance is not None
        ),
        reverse=True,
    )
    n = n_right = most = 0
    for _, alike in groupby(ranked, key=lambda each: each[0]):
        claims = [is_right for _, is_right in alike]
        n, n_right = n + len(claims), n_right + sum(claims)
        most = n if n_right >= IDENTIFIED * n else most
    identified = [is_right for chance, is_right in ranked if chance >= IDENTIFIED]
    return {
        "n_identified_right": sum(identified),
        "precision": sum(identified) / len(identified) if identified else None,
        "n_at_precision": most,
    }
