"""What is believed of a sensitive value by someone who knows the protection."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap

import numpy as np

from microleak.attacks.known_protection.chances import Ways, face_value, weights_by
from microleak.attacks.known_protection.definitions import Success, guessed, unmixed
from microleak.attacks.known_protection.linked import beliefs_in
from microleak.attacks.known_protection.releases import (
    Beliefs,
    Releases,
    codes_in,
    mean,
)
from microleak.attacks.known_protection.section import linking
from microleak.base.arrays import Floats, Integers
from microleak.definitions.exact import SLACK, largest_by, repeated_places, values_at
from microleak.protection.methods import DataColumn, blocks_and_sizes

AT_ONCE = 1 << 22
"""Pairs of a true QID value and a sensitive one that are believed in at once."""

MOST_PAIRS = 1 << 22
"""Pairs of a published value and a true one up to which blocks are unmixed."""

_Guesses = tuple[Integers, Integers, Floats]
"""True QIDs t, values y of a target with them, and the weight of each."""


@dataclass(frozen=True)
class _Sensitive:
    """A sensitive attribute: its values before, and those that are published."""

    prior: Floats  # Share of the records that have each value y before
    n_published: int  # Different published values
    published: Integers  # Code of the published value of each record, y'
    label: Integers  # The y' that each y has at face value, -1 if there is none

    @property
    def n(self) -> int:
        return len(self.prior)


@dataclass(frozen=True)
class _Said:
    """What each published value y' says of y: from where on, which ones, how much."""

    starts: Integers
    values: Integers
    beliefs: Floats

    def only(self, among: range) -> "_Said":
        """Return the same with beliefs in values of a range alone."""
        is_among = (self.values >= among.start) & (self.values < among.stop)
        n_before = np.concatenate([[0], np.cumsum(is_among)])
        starts = n_before[self.starts]
        return _Said(starts, self.values[is_among], self.beliefs[is_among])


def _sensitive(releases: Releases, name: str) -> _Sensitive:
    column, after = releases.before[name], releases.after[name]
    used = np.flatnonzero(column.counts)
    each = Ways(used, {name: DataColumn(column.values, used)}, np.ones(len(used)), used)
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


def inferred(
    releases: Releases,
    beliefs: Beliefs,
    face: Integers,
    what: tuple[Sequence[str], str],
) -> Success:
    """Return the success of an inference, given the QIDs and a sensitive attribute."""
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
        # Sums of what is linked have differences, others are above 0 if possible.
        np.add.at(n_possible, t, belief > (SLACK if links else 0))
        is_meant = (claim[t] >= 0) & (sensitive.label[y] == claim[t])
        np.add.at(right, t[is_meant], belief[is_meant])
    guess = float(sensitive.prior.max())
    n_values = int((sensitive.prior > 0).sum())
    best = np.where(n_possible > 0, best, guess)
    det, prob = _inferred_before(releases, qids, name)
    return Success(
        prior_prob=guess,
        posterior_det=mean(np.where(n_possible > 0, n_possible, n_values) == 1, n_of_t),
        posterior_prob=max(mean(best, n_of_t), _scored(releases, qids, name, guesses)),
        posterior_det_before=det,
        posterior_prob_before=prob,
        claimed=mean(claim >= 0, n_of_t),
        claimed_right=mean(right, n_of_t),
    )


def _claims(beliefs: Beliefs, face: Integers, sensitive: _Sensitive) -> Integers:
    """Return the published value that each t is claimed to have, -1 without a claim."""
    n_z = len(beliefs.size)
    lowest = np.full(n_z, sensitive.n_published, dtype=np.int64)
    highest = np.full(n_z, -1)
    np.minimum.at(lowest, beliefs.place, sensitive.published)
    np.maximum.at(highest, beliefs.place, sensitive.published)
    only = np.where(lowest == highest, lowest, -1)
    return np.where(face >= 0, only[face], -1)


def _believed_linked(
    sensitive: _Sensitive, found: tuple[Integers, Integers, Floats]
) -> Iterator[_Guesses]:
    """Yield t, values y and the belief in them, from those in published values."""
    # Of a label it is believed in its values as often as they occur.
    t, label, belief = found
    order = np.argsort(sensitive.label, kind="stable")
    order = order[sensitive.label[order] >= 0]
    of_label = sensitive.label[order]
    starts = np.searchsorted(of_label, label)
    own, entry = repeated_places(
        np.searchsorted(of_label, label, "right") - starts, starts
    )
    y = order[entry]
    share = weights_by(of_label, sensitive.prior[order], sensitive.n_published)
    yield t[own], y, belief[own] * sensitive.prior[y] / share[label[own]]


def _believed(
    beliefs: Beliefs, sensitive: _Sensitive, said: _Said
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
    beliefs: Beliefs,
    what: tuple[_Sensitive, _Said],
    among: range,
    n_records: tuple[Integers, Integers, Integers],
) -> Iterator[_Guesses]:
    """Yield beliefs in a range of values, by the records of each z and y'."""
    sensitive, said_each = what[0], what[1].only(among)
    of_z, published, n_both = n_records
    n_z = len(beliefs.size)
    # What each z says of y: the sum over its records.
    n_each = np.diff(said_each.starts)[published]
    own, entry = repeated_places(n_each, said_each.starts[published])
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
        own, entry = repeated_places(n_said[part], starts[z])
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
    beliefs: Beliefs, sensitive: _Sensitive, said: _Said
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
        own, entry = repeated_places(np.diff(starts)[z], starts[z])
        key, where = np.unique(
            t[own] * n_after + pair[entry] % n_after, return_inverse=True
        )
        n_of_key = weights_by(where, weight[own] * n_both[entry], len(key))
        published = key % n_after
        mixed, entry = repeated_places(n_said[published], said.starts[published])
        true, where = np.unique(
            key[mixed] // n_after * n + said.values[entry], return_inverse=True
        )
        prior = sensitive.prior[true % n]
        found = unmixed(mixed, where, said.beliefs[entry], n_of_key, prior)
        yield true // n, true % n, found


def _scored(
    releases: Releases, qids: Sequence[str], name: str, guesses: Iterable[_Guesses]
) -> float:
    """Return for how many records the guess with the largest weight is right."""
    # Of a t without guesses the most frequent value of all is guessed, and of several
    # one at random.
    column = releases.before[name]
    n = len(column.values)
    place, sizes = blocks_and_sizes([releases.before[each].codes for each in qids])
    both, n_both = np.unique(place * n + column.codes, return_counts=True)
    is_most = column.counts == column.counts.max()
    n_most = weights_by(both // n, n_both * is_most[both % n], len(sizes))
    right = n_most / np.count_nonzero(is_most)
    for t, y, weights in guesses:
        found = guessed(t, weights, values_at(t * n + y, both, n_both), len(sizes))
        right[t] = found[t]
    return float(right.sum() / releases.n_records)


def _parts(t: Integers, n_each: Integers) -> Iterator[slice]:
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
    place, sizes = blocks_and_sizes([releases.before[n].codes for n in qids])
    codes = releases.before[name].codes
    both, n_both = blocks_and_sizes([place, codes])
    of_block = np.zeros(len(n_both), dtype=np.int64)
    of_block[both] = place
    most = largest_by(of_block, n_both, len(sizes))
    n = releases.n_records
    return int(sizes[most == sizes].sum()) / n, int(most.sum()) / n
