"""Attacks on a protected release whose protection is known, to the tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, starmap
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.known_protection.analysis import KnownProtection, linking
from microleak.attacks.known_protection.definitions.known_success import (
    Floats,
    Success,
    fitted,
    guessed,
    largest,
    likelihoods,
    unmixed,
    values_left,
)
from microleak.attacks.known_protection.linked import beliefs_in
from microleak.attacks.known_protection.releases import Releases, codes_in
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import SLACK, firsts, repeated, sums
from microleak.protection.chances import (
    Ways,
    face_value,
    weights_by,
)
from microleak.protection.methods import Column, Numbers, blocks
from microleak.protection.protect import coded_columns
from microleak.records.chunks import Given
from microleak.records.memory import Memory
from microleak.records.subsets import Subset, names_of
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.known_protection")

AT_ONCE = 1 << 22
"""Pairs of a true QID value and a sensitive one that are believed in at once."""

MOST_PAIRS = 1 << 22
"""Pairs of a published value and a true one up to which blocks are unmixed."""

_Guesses = tuple[Numbers, Numbers, Floats]
"""True QIDs t, values y of a target with them, and the weight of each."""


class Tables(NamedTuple):
    """What is measured."""

    known_protection: pd.DataFrame
    undone_cells: pd.DataFrame


def known_tables(
    before: Given, after: Given, analysis: KnownProtection, resources: Resources
) -> Tables:
    """Return the success of the attacks, and the cells that minimality undoes.

    Parameters
    ----------
    before, after
        One record a person, before and after all steps, in the same order. Columns of
        the analysis are held as codes; memory is, besides, that of the rows that
        differ, in each way in which they may have been published.
    analysis
        The analysis. A missing value of an attribute is a value like any other.
    resources
        Bounds, which do not change what is returned.

    Raises
    ------
    TableError
        If there are more such ways than there is memory for, or the release was not
        made by these steps.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    releases = Releases(
        _columns(before, analysis.before, memory),
        _columns(after, analysis.after, memory),
        analysis,
        memory,
    )
    found: dict[tuple[int, Subset], Success] = {}
    with progress("weighing what may have been published", len(analysis.subsets)) as on:
        for subset in analysis.subsets:
            for attack, success in enumerate(_successes(releases, subset)):
                found[attack, subset] = success
            on(1)
    rows = list(_rows(found, releases))
    cells = list(_undone(releases))
    return Tables(
        TABLES["known_protection"].frame(rows), TABLES["undone_cells"].frame(cells)
    )


def _columns(
    given: Given, names: Sequence[str], memory: Memory
) -> Mapping[str, Column]:
    chunks, _ = memory.chunks(given, max(1, len(names)))
    return coded_columns(chunks, names)


@dataclass(frozen=True)
class _Beliefs:
    """What is believed by the QIDs of a target.

    Attributes
    ----------
    n_of_t
        Records before that have each t.
    t, z, weight
        Pairs of true QIDs and published ones that are in the protected release, with
        their likelihood.
    size
        Records of each z in the protected release.
    place
        The z of each of its records.
    is_sampled
        Whether records were left out by a sample.
    """

    n_of_t: Numbers
    t: Numbers
    z: Numbers
    weight: Floats
    size: Numbers
    place: Numbers
    is_sampled: bool

    @cached_property
    def total(self) -> Floats:
        """Sum of all weights by t."""
        return self.there + self.absent

    @cached_property
    def there(self) -> Floats:
        """Sum of the weights of all protected records by t."""
        n = len(self.n_of_t)
        return weights_by(self.t, self.weight * self.size[self.z], n)

    @cached_property
    def absent(self) -> Floats:
        """The weight of not being there by t: what of those with t was not drawn."""
        if not self.is_sampled:
            return np.zeros(len(self.n_of_t))
        left: Floats = np.maximum(self.n_of_t.sum() - self.there, 0.0)
        return left

    def share(self, weights: Floats) -> Floats:
        """Return weights by t as beliefs; 0 where nothing is possible."""
        found: Floats = weights / np.where(self.total > 0, self.total, 1.0)
        return found


def _successes(releases: Releases, subset: Subset) -> Iterator[Success]:
    """Yield the success of re-identification, and of each inference."""
    analysis = releases.analysis
    qids = names_of(subset, analysis.qids)
    rows = releases.rows(qids)
    t, _ = blocks([rows.columns[name].codes for name in qids])
    n_of_t = np.bincount(t, rows.n_records).astype(np.int64)
    beliefs, face = _beliefs(releases, rows, (t, n_of_t), qids)
    yield _reidentified(releases, beliefs, face)
    for name in analysis.sensitive:
        yield _inferred(releases, beliefs, face, (qids, name))


def _beliefs(
    releases: Releases, rows: Ways, true: tuple[Numbers, Numbers], qids: Sequence[str]
) -> tuple[_Beliefs, Numbers]:
    """Return beliefs, and the z that each t has at face value, -1 if there is none."""
    t, n_of_t = true
    names = [name for name in qids if name in releases.after]
    ways = releases.published(rows, names)
    n, m = releases.n_records, releases.n_protected
    taken = face_value(rows, releases.analysis.recipe)
    place, z, face_z = releases.numbered(names, ways, taken)
    n_z = 1 + max(int(each.max()) for each in (place, z, face_z))
    size = np.bincount(place, minlength=n_z)
    # Several rows may have one t, and several ways of theirs one z.
    both = t[ways.row] * n_z + z
    pair, where = np.unique(both, return_inverse=True)
    expected = weights_by(where, ways.expected, len(pair))
    of_t, of_z = pair // n_z, pair % n_z
    is_there = size[of_z] > 0
    if m == n and any(step.suppress for step in releases.analysis.steps):
        # Which cells were suppressed is not drawn: what is known are both sums.
        pairs = of_t[is_there], of_z[is_there]
        expected[is_there] = fitted(expected[is_there], *pairs, n_of_t, size)
        expected[~is_there] = 0.0
    weight = likelihoods(expected, of_t, of_z, n_of_t)
    is_there &= weight > 0
    face = np.full(len(n_of_t), -1)
    face[t] = np.where(size[face_z] > 0, face_z, -1)
    possible = of_t[is_there], of_z[is_there], weight[is_there]
    beliefs = _Beliefs(n_of_t, *possible, size, place, is_sampled=m < n)
    is_made = np.zeros(n_z, dtype=bool)
    is_made[beliefs.z] = True
    releases.check_made(int(size[~is_made].sum()))
    return beliefs, face


def _mean(of_t: NDArray[Any], n_of_t: Numbers) -> float:
    """Return the mean over all records of a number by t."""
    return float((of_t * n_of_t).sum() / n_of_t.sum())


def _at_face(beliefs: _Beliefs, face: Numbers) -> Floats:
    """Return the weight of one record of the z that each t has at face value."""
    found = np.zeros(len(beliefs.n_of_t))
    is_face = face[beliefs.t] == beliefs.z
    found[beliefs.t[is_face]] = beliefs.weight[is_face]
    return found


def _reidentified(releases: Releases, beliefs: _Beliefs, face: Numbers) -> Success:
    n_of_t = beliefs.n_of_t
    n_t = len(n_of_t)
    best = beliefs.share(largest(n_t, beliefs.t, beliefs.weight))
    possible = sums(beliefs.t, beliefs.size[beliefs.z], n_t)
    is_certain = (possible == 1) & (beliefs.absent < SLACK * beliefs.total)
    is_claimed = (face >= 0) & (beliefs.size[face] == 1)
    right = np.where(is_claimed, beliefs.share(_at_face(beliefs, face)), 0.0)
    return Success(
        prior_prob=1 / releases.n_records,
        posterior_det=_mean(is_certain, n_of_t),
        posterior_prob=_mean(best, n_of_t),
        posterior_det_before=_mean(n_of_t == 1, n_of_t),
        posterior_prob_before=n_t / releases.n_records,
        claimed=_mean(is_claimed, n_of_t),
        claimed_right=_mean(right, n_of_t),
    )


@dataclass(frozen=True)
class _Sensitive:
    """A sensitive attribute: its values before, and those that are published.

    Attributes
    ----------
    prior
        Share of the records that have each value y before.
    n_published
        Different published values.
    published
        Code of the published value of each record, y'.
    label
        The y' that each y has at face value, -1 if there is none.
    """

    prior: Floats
    n_published: int
    published: Numbers
    label: Numbers

    @property
    def n(self) -> int:
        """Values before."""
        return len(self.prior)


@dataclass(frozen=True)
class _Said:
    """What each published value y' says of y: from where on, which ones, how much."""

    starts: Numbers
    values: Numbers
    beliefs: Floats

    def only(self, among: range) -> "_Said":
        """Return the same with beliefs in values of a range alone."""
        is_among = (self.values >= among.start) & (self.values < among.stop)
        n_before = np.concatenate([[0], np.cumsum(is_among)])
        return _Said(
            n_before[self.starts], self.values[is_among], self.beliefs[is_among]
        )


def _sensitive(releases: Releases, name: str) -> _Sensitive:
    column, after = releases.before[name], releases.after[name]
    used = np.flatnonzero(column.counts)
    each = Ways(used, {name: Column(column.values, used)}, np.ones(len(used)), used)
    taken = face_value(each, releases.analysis.recipe)
    label = np.full(len(column.values), -1)
    label[used] = codes_in(taken.columns[name], after)
    published = after.codes.astype(np.int64)
    prior = column.counts / releases.n_records
    return _Sensitive(prior, len(after.values), published, label)


def _said(releases: Releases, name: str) -> _Said:
    after = releases.after[name]
    rows = releases.rows([name])
    ways = releases.published(rows, [name])
    y = rows.columns[name].codes.astype(np.int64)
    n, n_after = len(releases.before[name].values), len(after.values)
    new = codes_in(ways.columns[name], after)
    is_there = new >= 0
    both = (new * n + y[ways.row])[is_there]
    pair, where = np.unique(both, return_inverse=True)
    expected = weights_by(where, ways.expected[is_there], len(pair))
    of_label, values = pair // n, pair % n
    total = weights_by(of_label, expected, n_after)
    return _Said(
        np.searchsorted(of_label, np.arange(n_after + 1)),
        values,
        expected / total[of_label],
    )


def _inferred(
    releases: Releases,
    beliefs: _Beliefs,
    face: Numbers,
    what: tuple[Sequence[str], str],
) -> Success:
    qids, name = what
    sensitive = _sensitive(releases, name)
    n_of_t = beliefs.n_of_t
    n_t = len(n_of_t)
    best, n_possible = np.zeros(n_t), np.zeros(n_t, dtype=np.int64)
    right = np.zeros(n_t)
    claim = _claims(beliefs, face, sensitive)
    links = linking(releases.analysis.steps, name, qids)
    believed: Iterable[_Guesses]
    guesses: Iterable[_Guesses] = ()
    if links:
        step = releases.analysis.steps[links[0]]
        linked = beliefs_in(releases, qids, name, step)
        guesses = believed = [*_believed_linked(sensitive, linked)]
    else:
        said = _said(releases, name)
        believed = _believed(beliefs, sensitive, said)
        if len(said.values) <= MOST_PAIRS:
            guesses = _unmixed(beliefs, sensitive, said)
    for t, y, belief in believed:
        np.maximum.at(best, t, belief)
        np.add.at(n_possible, t, belief > SLACK)
        is_meant = (claim[t] >= 0) & (sensitive.label[y] == claim[t])
        np.add.at(right, t[is_meant], belief[is_meant])
    guess = float(sensitive.prior.max())
    n_values = int((sensitive.prior > 0).sum())
    best = np.where(n_possible > 0, best, guess)
    det, prob = _inferred_before(releases, qids, name)
    return Success(
        prior_prob=guess,
        posterior_det=_mean(
            np.where(n_possible > 0, n_possible, n_values) == 1, n_of_t
        ),
        posterior_prob=max(_mean(best, n_of_t), _scored(releases, qids, name, guesses)),
        posterior_det_before=det,
        posterior_prob_before=prob,
        claimed=_mean(claim >= 0, n_of_t),
        claimed_right=_mean(right, n_of_t),
    )


def _claims(beliefs: _Beliefs, face: Numbers, sensitive: _Sensitive) -> Numbers:
    """Return the published value that each t is claimed to have, -1 without a claim."""
    n_z = len(beliefs.size)
    lowest = np.full(n_z, sensitive.n_published, dtype=np.int64)
    highest = np.full(n_z, -1)
    np.minimum.at(lowest, beliefs.place, sensitive.published)
    np.maximum.at(highest, beliefs.place, sensitive.published)
    only = np.where(lowest == highest, lowest, -1)
    return np.where(face >= 0, only[face], -1)


def _believed_linked(
    sensitive: _Sensitive, found: tuple[Numbers, Numbers, Floats]
) -> Iterator[_Guesses]:
    """Yield t, values y and the belief in them, from those in published values.

    Of a label it is believed in its values as often as they occur.
    """
    t, label, belief = found
    order = np.argsort(sensitive.label, kind="stable")
    order = order[sensitive.label[order] >= 0]
    of_label = sensitive.label[order]
    starts = np.searchsorted(of_label, label)
    own, entry = repeated(np.searchsorted(of_label, label, "right") - starts, starts)
    y = order[entry]
    share = weights_by(of_label, sensitive.prior[order], sensitive.n_published)
    yield t[own], y, belief[own] * sensitive.prior[y] / share[label[own]]


def _believed(
    beliefs: _Beliefs, sensitive: _Sensitive, said: _Said
) -> Iterator[_Guesses]:
    """Yield t, values y and the belief in them; those of one t and y together."""
    n_after = sensitive.n_published
    pair, n_both = np.unique(
        beliefs.place * n_after + sensitive.published, return_counts=True
    )
    of_z, published = pair // n_after, pair % n_after
    # Of many values some at a time, so that what is said of them has room.
    n_said = int(np.diff(said.starts)[published].sum())
    n_ranges = min(sensitive.n, 1 + n_said // AT_ONCE)
    ends = np.linspace(0, sensitive.n, n_ranges + 1).astype(np.int64).tolist()
    for among in starmap(range, pairwise(ends)):
        n_records = of_z, published, n_both
        yield from _believed_of(beliefs, (sensitive, said), among, n_records)


def _believed_of(
    beliefs: _Beliefs,
    what: tuple[_Sensitive, _Said],
    among: range,
    n_records: tuple[Numbers, Numbers, Numbers],
) -> Iterator[_Guesses]:
    """Yield beliefs in a range of values, by the records of each z and y'."""
    sensitive, said_each = what[0], what[1].only(among)
    of_z, published, n_both = n_records
    n_z = len(beliefs.size)
    # What each z says of y: the sum over its records.
    n_each = np.diff(said_each.starts)[published]
    own, entry = repeated(n_each, said_each.starts[published])
    key, where = np.unique(
        of_z[own] * sensitive.n + said_each.values[entry], return_inverse=True
    )
    said = weights_by(where, n_both[own] * said_each.beliefs[entry], len(key))
    key_z, key_y = key // sensitive.n, key % sensitive.n
    starts = np.searchsorted(key_z, np.arange(n_z + 1))
    n_said = np.diff(starts)[beliefs.z]
    may_be_absent = beliefs.absent > SLACK * beliefs.total
    for part in _parts(beliefs.t, n_said + may_be_absent[beliefs.t] * len(among)):
        t, z, weight = beliefs.t[part], beliefs.z[part], beliefs.weight[part]
        own, entry = repeated(n_said[part], starts[z])
        of_t, of_y = t[own], key_y[entry]
        weights = weight[own] * said[entry]
        each = np.unique(t)
        each = each[may_be_absent[each]]
        if len(each):
            every = np.array(among)
            of_t = np.concatenate([of_t, np.repeat(each, len(every))])
            of_y = np.concatenate([of_y, np.tile(every, len(each))])
            if_absent = np.outer(beliefs.absent[each], sensitive.prior[every]).ravel()
            weights = np.concatenate([weights, if_absent])
        both, where = np.unique(of_t * sensitive.n + of_y, return_inverse=True)
        found = weights_by(where, weights, len(both))
        t_found = both // sensitive.n
        yield t_found, both % sensitive.n, found / beliefs.total[t_found]


def _unmixed(
    beliefs: _Beliefs, sensitive: _Sensitive, said: _Said
) -> Iterator[_Guesses]:
    """Yield t, values y and how many records with t have them, by their own y'."""
    n, n_after = sensitive.n, sensitive.n_published
    n_z = len(beliefs.size)
    pair, n_both = np.unique(
        beliefs.place * n_after + sensitive.published, return_counts=True
    )
    starts = np.searchsorted(pair, np.arange(n_z + 1) * n_after)
    n_said = np.diff(said.starts)
    n_of_z = weights_by(pair // n_after, n_said[pair % n_after], n_z).astype(np.int64)
    for part in _parts(beliefs.t, n_of_z[beliefs.z]):
        t, z, weight = beliefs.t[part], beliefs.z[part], beliefs.weight[part]
        own, entry = repeated(np.diff(starts)[z], starts[z])
        key, where = np.unique(
            t[own] * n_after + pair[entry] % n_after, return_inverse=True
        )
        n_of_key = weights_by(where, weight[own] * n_both[entry], len(key))
        published = key % n_after
        mixed, entry = repeated(n_said[published], said.starts[published])
        true, where = np.unique(
            key[mixed] // n_after * n + said.values[entry], return_inverse=True
        )
        prior = sensitive.prior[true % n]
        found = unmixed(mixed, where, said.beliefs[entry], n_of_key, prior)
        yield true // n, true % n, found


def _scored(
    releases: Releases, qids: Sequence[str], name: str, guesses: Iterable[_Guesses]
) -> float:
    """Return for how many records the guess with the largest weight is right.

    Of a t without guesses the most frequent value of all is guessed.
    """
    column = releases.before[name]
    n = len(column.values)
    place, sizes = blocks([releases.before[each].codes for each in qids])
    both, n_both = np.unique(place * n + column.codes, return_counts=True)
    most = np.full(len(sizes), column.counts.argmax())
    right = _n_of(np.arange(len(sizes)) * n + most, both, n_both).astype(np.float64)
    for t, y, weights in guesses:
        found = guessed(t, weights, _n_of(t * n + y, both, n_both), len(sizes))
        right[t] = found[t]
    return float(right.sum() / releases.n_records)


def _n_of(keys: Numbers, counted: Numbers, counts: Numbers) -> Numbers:
    """Return how often each key was counted, 0 if it was not."""
    at = np.minimum(np.searchsorted(counted, keys), len(counted) - 1)
    return np.where(counted[at] == keys, counts[at], 0)


def _parts(t: Numbers, n_each: Numbers) -> Iterator[slice]:
    """Yield slices of pairs sorted by t, of no more than may be believed in at once."""
    first_of_t = np.flatnonzero(np.diff(t, prepend=-1))
    reached = np.concatenate([[0], np.cumsum(n_each)])
    ends = np.append(first_of_t[1:], len(t))
    start = 0
    while start < len(t):
        fits = int(np.searchsorted(reached[ends], reached[start] + AT_ONCE, "right"))
        at_least = int(np.searchsorted(ends, start, "right"))
        end = int(ends[max(fits - 1, at_least)])
        yield slice(start, end)
        start = end


def _inferred_before(
    releases: Releases, qids: Sequence[str], name: str
) -> tuple[float, float]:
    """Return how many are certain, and guessed right, in the release as it was."""
    place, sizes = blocks([releases.before[n].codes for n in qids])
    codes = releases.before[name].codes
    both, n_both = blocks([place, codes])
    of_block = np.zeros(len(n_both), dtype=np.int64)
    of_block[both] = place
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, of_block, n_both)
    n = releases.n_records
    return int(sizes[most == sizes].sum()) / n, int(most.sum()) / n


def _rows(
    found: Mapping[tuple[int, Subset], Success], releases: Releases
) -> Iterator[dict[str, Any]]:
    analysis = releases.analysis
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        for subset in analysis.subsets:
            names = names_of(subset, analysis.qids)
            success = found[attack, subset]
            yield {
                **_named(analysis),
                "qids": "|".join(names),
                "n_qids": len(names),
                "sensitive": sensitive,
                "n_records": releases.n_records,
                "n_protected": releases.n_protected,
                **vars(success),
                "claims_that_hold": success.claims_that_hold,
            }


def _named(analysis: KnownProtection) -> dict[str, str]:
    names = ("table", "focal", "release")
    return {"analysis": analysis.name, **{n: getattr(analysis, n) for n in names}}


def _undone(releases: Releases) -> Iterator[dict[str, Any]]:
    """Yield of each suppressed QID what minimality says of its missing cells.

    Of steps that suppress, if no other one changes what they suppress but by labels
    before, and none draws a sample: then it is not known what there was.
    """
    analysis = releases.analysis
    if any(step.method == "sample" for step in analysis.steps):
        return
    for at, step in enumerate(analysis.steps):
        names = step.suppress or ()
        drawn = {
            name
            for each in analysis.steps[:at]
            if each.method in {"randomise", "swap", "suppress"}
            for name in each.changed
        }
        others = drawn.union(*(each.named for each in analysis.steps[at + 1 :]))
        if names and not others & {*names} and {*names} <= releases.after.keys():
            rows = [releases.after[name].codes for name in names]
            place, sizes = blocks(rows)
            first = firsts(place, len(sizes))
            each = [column[first].astype(np.int64) for column in rows]
            for own, name in enumerate(names):
                found = values_left(each, sizes, own, step.k or 0)
                yield {
                    **_named(analysis),
                    "attribute": name,
                    **_cells(releases, name, sizes, found),
                }


def _cells(
    releases: Releases,
    name: str,
    sizes: Numbers,
    found: tuple[Numbers, Numbers],
) -> dict[str, int | float | None]:
    """Count the cells that are missing, and those of which one value is left.

    Someone who knows how many records had which values knows what there was.
    """
    missing, ruled_out = found
    taken = face_value(releases.rows([name]), releases.analysis.recipe).columns[name]
    n_values = len(np.unique(taken.codes))
    left = n_values - ruled_out
    cells = sizes[missing]
    n_cells = int(cells.sum())
    n_missing = int(np.count_nonzero(releases.before[name].codes == 0))
    return {
        "n_cells": n_cells,
        "n_suppressed": n_cells - n_missing,
        "n_values": n_values,
        "mean_values_left": float((cells * left).sum() / n_cells) if n_cells else None,
        "n_undone": int(cells[left == 1].sum()),
    }
