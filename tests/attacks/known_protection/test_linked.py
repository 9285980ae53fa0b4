"""Beliefs in what is swapped with QIDs or in their groups, against all pairings."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations, product

import pandas as pd
import pytest

import microleak
from microleak.base.errors import StudyError, TableError
from tests.attacks.known_protection.test_pairing import every_swap


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


def naive(people, released, chances):
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
@pytest.mark.parametrize("name", SWAPS)
def test_beliefs_are_those_over_all_tables_and_pairings(name, n_chosen):
    step = SWAPS[name]
    people = FIVE.iloc[:4] if "target" in step else FIVE
    n_chosen = min(n_chosen, len(people))
    cells = [n for n in QIDS if n in (*step["swap"], *step.get("within", ()))]
    chances = joint(people, step, n_chosen, cells)
    for seed in range(3):
        steps = [{**step, "rate": f"{n_chosen}/{len(people)}"}]
        after, row = attacked(people, steps, seed)
        expected = naive(people, after, chances)
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
