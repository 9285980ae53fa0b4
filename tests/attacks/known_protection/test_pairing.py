"""Chances of swaps and samples, and beliefs in what is linked, by all ways to draw."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, exp, factorial

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.known_protection.chances import (
    ENOUGH,
    Room,
    SwapDrawing,
    Ways,
    drawn,
    ways_of,
)
from microleak.base.errors import StudyError, TableError
from microleak.protection.methods import Swapping, column_of, drawn_pairs
from microleak.study_file.protections import Recipe, StepSection
from tests.examples import long, thinned


class Drawn:
    """A generator that returns the keys given, one list after the other."""

    def __init__(self, *orders):
        self._orders = iter(orders)
        self.bit_generator = self

    def random_raw(self, n):
        return np.array(next(self._orders), dtype=np.uint64)[:n] << np.uint64(3)


def every_swap(group, alike, n_chosen):
    """Pairs of all orders of choosing and of pairing records, each as often as it is.

    By symmetry one order of pairing is as good as another without a target.
    """
    n = len(group)
    target = [np.array(alike)] if alike else []
    swapping = Swapping(Fraction(n_chosen, n), [np.array(group)], target)
    for order in permutations(range(n)):
        for places in permutations(range(n)) if target else [order]:
            first, second = drawn_pairs(n, swapping, Drawn(order, places))
            yield [*zip(first.tolist(), second.tolist(), strict=True)]


def coded(texts):
    known = [*dict.fromkeys(texts)]
    return column_of(known, np.array([known.index(text) for text in texts]))


CASES = [
    ([0, 0, 0, 0], None),
    ([0, 0, 0, 1, 1], None),
    ([0, 0, 0, 0], [0, 1, 2, 2]),
    ([0, 0, 0, 0], [0, 1, 1, 1]),
    ([0, 0, 1, 1], [0, 1, 2, 2]),
    ([0, 0, 0, 1], [0, 1, 2, 3]),
    *long(([0, 0, 0, 0, 1], [0, 1, 2, 2, 3]), ([0, 0, 0, 1, 1], [0, 1, 1, 2, 3])),
]


@pytest.mark.parametrize(("group", "alike"), CASES, ids=str)
def test_chances_of_pairs_are_those_of_all_swaps(group, alike):
    n = len(group)
    alone = [bool(alike) and alike.count(each) == 1 for each in alike or group]
    n_orders = factorial(n) * (factorial(n) if alike else 1)
    for n_chosen in range(n + 1) if n < 5 else (2, 3):
        swaps = every_swap(group, alike, n_chosen)
        found = Counter(frozenset(pair) for each in swaps for pair in each)
        drawing = SwapDrawing(n, n, sum(alone), n_chosen)
        for i, j in product(range(n), repeat=2):
            if i < j and group[i] == group[j]:
                own = [k for k in range(n) if group[k] == group[i]]
                both, one, none = drawing.chances(len(own), sum(alone[k] for k in own))
                expected = (none, one, both)[alone[i] + alone[j]]
                assert found[frozenset((i, j))] / n_orders == pytest.approx(expected)


@pytest.mark.parametrize("n_chosen", range(5))
def test_published_values_are_as_likely_as_in_all_targeted_swaps(n_chosen):
    """Four towns, two of them of one age; who is alone by age is swapped first."""
    ages, towns = ["1", "2", "3", "3"], ["a", "b", "a", "c"]
    expected = Counter()
    columns = {name: coded(texts) for name, texts in (("age", ages), ("town", towns))}
    for each in every_swap([0] * 4, columns["age"].codes.tolist(), n_chosen):
        told = [*towns]
        for i, j in each:
            told[i], told[j] = told[j], told[i]
        expected.update(zip(ages, towns, told, strict=True))
    step = StepSection(swap=["town"], rate=f"{n_chosen}/4", target=["age"])
    rows = Ways(np.arange(4), columns, np.ones(4), np.ones(4, dtype=np.int64))
    ways = ways_of(rows, Recipe("one", 0, (step,), {}), Room(1_000, "here"))
    after = ways.columns["town"]
    found = {
        (ages[row], towns[row], after.values[code]): chance
        for row, code, chance in zip(
            ways.row.tolist(), after.codes.tolist(), ways.chance.tolist(), strict=True
        )
    }
    n_orders = factorial(4) ** 2
    assert found == pytest.approx({k: n / n_orders for k, n in expected.items()})


@pytest.mark.parametrize("n_chosen", [1, 2, 3])
def test_a_swap_after_a_sample_is_among_those_that_were_drawn(n_chosen):
    """Three of five are a sample, of whom some are chosen; the group has three."""
    found, n_there = 0, 0
    group = [0, 0, 0, 1, 1]
    for order in permutations(range(5)):
        kept = order[:3]
        if 0 not in kept:
            continue
        n_there += 1
        within = [np.array([group[k] for k in kept])]
        swapping = Swapping(Fraction(n_chosen, 3), within)
        for keys in permutations(range(3)):
            first, second = drawn_pairs(3, swapping, Drawn(keys))
            of = [{kept[i], kept[j]} for i, j in zip(first, second, strict=True)]
            found += {0, 1} in of
    _, _, none = SwapDrawing(5, 3, 0, n_chosen).chances(3, 0)
    assert found / (n_there * 6) == pytest.approx(none)


def test_chances_of_large_groups_add_up():
    each = [*drawn(3_000_000, 1_000_000, 300_000)]
    assert sum(p for _, p in each) == pytest.approx(1)
    assert sum(k * p for k, p in each) == pytest.approx(100_000)


def test_expected_records_are_those_of_whole_ones_whatever_they_round_to():
    """Of six, three are chosen and four swapped; one is a part of each of 33 rows."""
    towns = coded([*"bcdef", *"a" * 33])
    records = np.array([1.0] * 5 + [1 / 33] * 33)
    assert records.sum() < 6
    step = StepSection(swap=["town"], rate="5/12")
    rows = Ways(np.arange(38), {"town": towns}, np.ones(38), records)
    ways = ways_of(rows, Recipe("one", 0, (step,), {}), Room(1_000, "here"))
    stays = ways.columns["town"].codes == towns.codes[ways.row]
    assert ways.chance[stays] == pytest.approx(1 / 3)


KEEP = Fraction(7, 10)


def reckoned(texts, n_left):
    """The chance of each published value of each true one, after a sample and keep."""
    values, sizes = zip(*sorted(Counter(texts).items()), strict=True)
    column = column_of([None, *values], np.arange(1, len(values) + 1))
    rows = Ways(
        np.arange(len(values)), {"ill": column}, np.ones(len(values)), np.array(sizes)
    )
    steps = (
        StepSection(sample=f"{n_left}/{len(texts)}"),
        StepSection(randomise={"ill": {"keep": str(float(KEEP))}}),
    )
    ways = ways_of(rows, Recipe("one", 0, steps, {}), Room(1_000, "here"))
    told = [ways.columns["ill"].values[code] for code in ways.columns["ill"].codes]
    pairs = zip(ways.row.tolist(), told, ways.chance.tolist(), strict=True)
    return {(values[row], text): chance for row, text, chance in pairs}


def enumerated(texts, n_left):
    """The same of a record that is in the sample, over all samples."""
    found, n_there = Counter(), Counter()
    for sample in combinations(range(len(texts)), n_left):
        present = {texts[i] for i in sample}
        for i in sample:
            n_there[texts[i]] += 1
            others = present - {texts[i]}
            found[texts[i], texts[i]] += KEEP if others else 1
            for other in others:
                found[texts[i], other] += (1 - KEEP) / len(others)
    return {pair: float(p / n_there[pair[0]]) for pair, p in found.items()}


@pytest.mark.parametrize(
    ("texts", "n_left"),
    [("aaabbb", 4), ("aabbb", 4), ("aabbcc", 5), ("aaabbbccc", 7), ("abc", 3)],
)
def test_a_value_is_kept_among_those_that_every_sample_has(texts, n_left):
    assert reckoned(texts, n_left) == pytest.approx(enumerated(texts, n_left))


@pytest.mark.parametrize(
    ("texts", "n_left"), [("aaabbb", 3), ("abbb", 3), ("abc", 2), ("aabbcc", 3)]
)
def test_a_sample_that_may_have_none_of_a_value_is_refused(texts, n_left):
    with pytest.raises(TableError, match="here: ill is randomised by keep after a sa"):
        reckoned(texts, n_left)


def test_a_value_of_which_enough_are_expected_is_in_the_sample():
    reckoned("a" * 60 + "b" * 60, 60)
    with pytest.raises(TableError, match="Randomise it before the sample, or remove"):
        reckoned("a" * 59 + "b" * 61, 60)
    for n_before in range(1, 40):
        for n, m in product(range(1, n_before + 1), repeat=2):
            none = comb(n_before - n, m) / comb(n_before, m)
            assert none <= exp(-n * m / n_before) * (1 + 1e-9)
    assert exp(-ENOUGH) < 1e-12


def arrangements(people, cells):
    """All columns of values that are placed anew within cells."""
    groups = defaultdict(list)
    for i in range(len(people)):
        groups[tuple(people[n][i] for n in cells)].append(i)
    values = people["s"].tolist()
    for placed in product(*(permutations(group) for group in groups.values())):
        found = [*values]
        for own, others in zip(groups.values(), placed, strict=True):
            for i, j in zip(own, others, strict=True):
                found[i] = values[j]
        yield found


def swaps(table, step, n_chosen):
    """All pairings of a table, each as often as it is drawn."""
    within, alike = (
        [*zip(*(table[n] for n in step[key]), strict=True)] if key in step else []
        for key in ("within", "target")
    )
    group = [within.index(row) for row in within] or [0] * len(table["s"])
    codes = [alike.index(row) for row in alike] or None
    return Counter(map(tuple, map(sorted, every_swap(group, codes, n_chosen))))


def joint(people, step, n_chosen, cells):
    """Chance of each true (t, y) to be published as (z, v), over all that is drawn."""
    table = {name: people[name].tolist() for name in people}
    found = defaultdict(Counter)
    drawn = {}
    for s, n_same in Counter(map(tuple, arrangements(people, cells))).items():
        table["s"] = [*s]
        key = s if "s" in step.get("within", ()) else ()
        if key not in drawn:
            drawn[key] = swaps(table, step, n_chosen)
        true = [*zip(*(table[n] for n in QIDS), s, strict=True)]
        for pairs, n in drawn[key].items():
            after = {name: [*column] for name, column in table.items()}
            for (i, j), name in product(pairs, step["swap"]):
                after[name][i], after[name][j] = table[name][j], table[name][i]
            told = zip(*(after[n] for n in QIDS), after["s"], strict=True)
            for (*t, y), (*z, v) in zip(true, told, strict=True):
                found[tuple(t)][y, tuple(z), v] += n * n_same
    return found


def by_bayes(people, released, chances):
    """Share guessed right and share certain, by Bayes, records being independent.

    Right is the larger of the belief in the best guess and of its score by the truth.
    """
    everything = Counter()
    for each in chances.values():
        for (_, z, v), n in each.items():
            everything[z, v] += n
    right = scored = certain = Fraction(0)
    told = [(tuple(z), v) for *z, v in released[[*QIDS, "s"]].values.tolist()]
    for *qids, true in people[[*QIDS, "s"]].values.tolist():
        t, belief = tuple(qids), Counter()
        for z, v in told:
            for y in {y for y, _, _ in chances[t]}:
                belief[y] += Fraction(chances[t][y, z, v], everything[z, v])
        total = sum(belief.values())
        right += max(belief.values()) / total
        best = [y for y, each in belief.items() if each == max(belief.values())]
        scored += Fraction(true in best, len(best))
        certain += sum(each > 0 for each in belief.values()) == 1
    return float(max(right, scored) / len(people)), float(certain / len(people))


QIDS = ["a", "q"]
MEASURES = ["prior_prob", "posterior_det", "posterior_prob", "claimed_right"]

FIVE = pd.DataFrame(
    {"a": [*"11222"], "q": [*"xxxyx"], "w": [*"mmmnn"], "s": [*"ijijk"]}
)

SWAPS = {
    "with a QID": {"swap": ["q", "s"]},
    "with a QID and within another": {"swap": ["q", "s"], "within": ["a"]},
    "with a QID, within what is not known": {"swap": ["q", "s"], "within": ["w"]},
    "within a QID": {"swap": ["s"], "within": ["q"]},
    "within a QID and what is not known": {"swap": ["s"], "within": ["a", "w"]},
    "the QID within its values": {"swap": ["q"], "within": ["s"]},
    "the QID within its values and another's": {"swap": ["q"], "within": ["a", "s"]},
    "by a QID as a target": {"swap": ["s"], "target": ["a", "q"]},
    "with a QID, which is a target": {"swap": ["q", "s"], "target": ["q"]},
    "with a QID, by what is not known": {"swap": ["q", "s"], "target": ["w", "q"]},
}


def attacked(people, steps, seed):
    after = microleak.protect(people, steps, seed=seed).records
    rows = microleak.known_protection(people, after, steps, QIDS, sensitive=["s"])
    return after, rows.known_protection.set_index("sensitive").loc["s"]


@pytest.mark.parametrize("n_chosen", [1, 2, 3, 5])
@pytest.mark.parametrize("name", thinned(SWAPS))
def test_beliefs_are_those_over_all_tables_and_pairings(name, n_chosen):
    step = SWAPS[name]
    people = FIVE.iloc[:4] if "target" in step else FIVE
    n_chosen = min(n_chosen, len(people))
    cells = [n for n in QIDS if n in (*step["swap"], *step.get("within", ()))]
    chances = joint(people, step, n_chosen, cells)
    for seed in range(3):
        steps = [{**step, "rate": f"{n_chosen}/{len(people)}"}]
        after, row = attacked(people, steps, seed)
        expected = by_bayes(people, after, chances)
        assert (row.posterior_prob, row.posterior_det) == pytest.approx(expected)


@pytest.mark.parametrize("n_chosen", [2, 3])
def test_values_swapped_within_a_qid_are_believed_by_the_whole_release(n_chosen):
    """By all tables and pairings that make just this release, nothing left out."""
    step = {"swap": ["s"], "within": ["q"]}
    after, row = attacked(FIVE, [{**step, "rate": f"{n_chosen}/5"}], 1)
    drawn = swaps(FIVE, step, n_chosen)
    belief = defaultdict(Counter)
    true = [*zip(FIVE.a, FIVE.q, strict=True)]
    for s in arrangements(FIVE, ["q"]):
        for pairs, n in drawn.items():
            told = [*s]
            for i, j in pairs:
                told[i], told[j] = s[j], s[i]
            if told == after.s.tolist():
                for t, y in zip(true, s, strict=True):
                    belief[t][y] += n
    right = sum(max(belief[t].values()) / sum(belief[t].values()) for t in true)
    assert row.posterior_prob == pytest.approx(right / 5)


def test_labels_are_believed_in_and_their_values_as_often_as_they_occur():
    people = pd.DataFrame({"a": [*"1122"], "q": [*"xyxy"], "s": ["1", "2", "5", "5"]})
    steps = [{"swap": ["q", "s"], "rate": "0"}, {"generalise": {"s": 1}}]
    levels = {"s": {"widths": [3]}}
    after = microleak.protect(people, steps, hierarchies=levels).records
    rows = microleak.known_protection(
        people, after, steps, QIDS, sensitive=["s"], hierarchies=levels
    )
    row = rows.known_protection.set_index("sensitive").loc["s"]
    # 0-2 is 1 or 2 with chance 1/2; 3-5 is 5 for certain.
    assert (row.posterior_prob, row.posterior_det) == (0.75, 0.5)
    assert row.claims_that_hold == 1


def test_fewer_facts_are_believed_in_by_their_own_links():
    """Without q nothing links, and a value is believed in by its own swap alone."""
    steps = [{"swap": ["q", "s"], "rate": "2/5"}]
    after = microleak.protect(FIVE, steps, seed=4).records
    frames = FIVE, after, steps
    of_all = microleak.known_protection(*frames, QIDS, sensitive=["s"], subsets="all")
    alone = microleak.known_protection(*frames, ["a"], sensitive=["s"])
    both, one = (
        each.known_protection.set_index(["qids", "sensitive"])[MEASURES].loc["a", "s"]
        for each in (of_all, alone)
    )
    assert both.tolist() == one.tolist()


SWAP = {"swap": ["q", "s"], "rate": "1"}
WITHIN = {"swap": ["q"], "rate": "1", "within": ["s"]}


@pytest.mark.parametrize(
    ("steps", "subsets", "said"),
    [
        ([SWAP, {"sample": "1"}], "full", "step 2 draws a sample, too"),
        ([{"suppress": ["a"], "k": 2}, SWAP], "full", "step 1 draws a, too"),
        ([SWAP, {"randomise": {"s": {"keep": "0.5"}}}], "full", "step 2 draws s, too"),
        ([SWAP, WITHIN], "full", "step 2 draws q, too"),
        ([{**WITHIN, "target": ["a"]}], "full", "alone by a target where s is alike"),
        ([{**WITHIN, "within": ["s", "w"]}], "full", "within w, too, which is not"),
        ([{**WITHIN, "within": ["s", "a"]}], "all", "a among the QIDs and give subse"),
        ([WITHIN, {"drop": ["q"]}], "full", "step 2 changes q afterwards"),
    ],
)
def test_links_of_which_beliefs_are_not_exact_are_refused(steps, subsets, said):
    with pytest.raises(StudyError, match=said):
        microleak.known_protection(
            FIVE, FIVE, steps, QIDS, sensitive=["s"], subsets=subsets
        )


@pytest.mark.parametrize(
    ("step", "told", "s"), [(SWAP, "xxx", "iij"), (WITHIN, "yxz", "iji")]
)
def test_cells_that_the_steps_cannot_make_are_refused(step, told, s):
    people = pd.DataFrame({"a": [*"123"], "q": [*"xyz"], "s": [*"iij"]})
    after = people.assign(q=[*told], s=[*s])
    with pytest.raises(TableError, match="records that they cannot make"):
        microleak.known_protection(people, after, [step], ["a", "q"], sensitive=["s"])
