"""Laws of links without an identifier, and the definitions spelt out."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.linkage import linked, target, transitions, words
from microleak.attacks.linkage import shares as choice
from microleak.attacks.linkage.definitions.links import (
    chances,
    likelihood,
    newcomers,
    odds,
    share_within,
)
from microleak.attacks.linkage.definitions.success import (
    belief_in_records,
    inferred,
    reidentified,
)
from microleak.attacks.linkage.kernels.matching import Blocks, pair_chances
from microleak.attacks.linkage.measure import linkage_tables
from microleak.attacks.linkage.section import Linkage
from microleak.attacks.linkage.target import linked_target_table
from microleak.base.machine import Resources
from microleak.kernels import spilled_rows
from microleak.records import chunks
from microleak.records.call import meeting_with_id
from tests.attacks.linkage.made import OVERLAP, STAY, shares, twins
from tests.examples import long

N_TABLES = 300


def some_blocks(rng):
    """Blocks of up to 5 records a side, some of them alike, with exact weights."""
    n_focal, n_auxiliary = rng.integers(1, 6, 2)
    rows, columns = (np.sort(rng.integers(0, n, n)) for n in (n_focal, n_auxiliary))
    each = rng.integers(0, 20, (n_focal, n_auxiliary))
    weights = [[Fraction(int(each[i, j]), 4) for j in columns] for i in rows]
    return rows, columns, weights


def firsts_of(blocks):
    return np.unique(blocks, return_index=True, return_counts=True)[1:]


def test_chances_are_those_of_all_matchings():
    rng = np.random.default_rng(5)
    for _ in range(N_TABLES):
        rows, columns, weights = some_blocks(rng)
        (firsts, n_rows), (others, n_columns) = map(firsts_of, (rows, columns))
        ends = np.array([0, len(firsts)]), np.array([0, len(others)])
        given = [float(weights[i][j]) for i in firsts for j in others]
        block = Blocks(*ends, n_rows, n_columns)
        found, is_exact = pair_chances(block, np.array(given), np.ones(1))
        exact = chances(weights)
        wanted = [float(exact[i][j]) for i in firsts for j in others]
        assert is_exact.all()
        assert found == pytest.approx(wanted, abs=1e-12)


def test_belief_is_near_to_the_chances_of_all_matchings():
    rng = np.random.default_rng(6)
    wrong = []
    for _ in range(40):
        weights = np.exp(rng.normal(-2, 1.5, (8, 8))) + 20 * np.eye(8)
        ends = np.array([0, 8])
        block = Blocks(ends, ends, np.ones(8, int), np.ones(8, int))
        exact, _ = pair_chances(block, weights.ravel(), np.ones(1))
        believed, is_exact = pair_chances(block, weights.ravel(), np.ones(1), 0)
        assert not is_exact.any()
        wrong += list(believed - exact)
    assert np.abs(wrong).max() < 0.1
    assert np.abs(wrong).mean() < 0.005
    assert abs(np.mean(wrong)) < 0.001


def asked(focal, auxiliary, **more):
    """An analysis of two frames, and these as a study has them."""
    arguments = {
        **{"name": "linkage", "table": "given", "focal": "1", "auxiliary": "2"},
        **{"stable": ["birth", "sex"], "drifting": ["d0", "d1"]},
        **{"qids": ["birth", "sex", "d0"], "sensitive": ["ill"], "person_id": "id"},
    }
    analysis = Linkage.model_validate({**arguments, **more})
    person_id = "id" if "id" in focal else None
    releases = {
        what: (frame, frame.columns.drop("id", errors="ignore"))
        for what, frame in (("the focal frame", focal), ("the other", auxiliary))
    }
    people = meeting_with_id("linkage", releases, (), person_id)
    return analysis, tuple(each.table for each in people)


def tables(focal, auxiliary, folder, n_threads=1, **more):
    analysis, given = asked(focal, auxiliary, **more)
    return linkage_tables(*given, analysis, Resources(n_threads, 8000, folder))


def slow_share(records, record, name, within, drifting, without=False):
    """The share of a record's value, within its parent if it has one; of how many.

    Without the record itself if so asked, or where the parent is drifting. Nobody is a
    partner among the latter.
    """
    overall = Fraction(sum(r[name] == record[name] for r in records), len(records))
    parents, weight = within.get(name, ((), 0))
    alike = [r for r in records if all(r[p] == record[p] for p in parents)]
    is_drifting = any(p in drifting for p in parents)
    n, is_less = len(alike), is_drifting or without
    n_both = sum(r[name] == record[name] for r in alike)
    if n - is_less + weight == 0:
        return Fraction(0), Fraction(1)
    share = share_within(n_both - is_less, n - is_less, weight, overall)
    return share, Fraction(0) if is_drifting else 1 / Fraction(n + weight)


def slow_stay(mine, theirs, given):
    """The chance of each value to stay, by whether that of a drifting parent has."""
    names, stay = given["believed"][0].word.names, given["stay"]
    for place, name in enumerate(names):
        parents, _ = given["within"].get(name, ((), 0))
        is_same = all(mine[p] == theirs[p] for p in parents if p in names)
        yield Fraction(float(stay[int(is_same)][place]))


def slow_chances(focal, auxiliary, given, qids, stable):
    """P(z | i) of each focal record, by walking through all matchings."""
    staying, arrivals = given["believed"]
    names = staying.word.names
    known = [frame.fillna("").to_dict("records") for frame in (focal, auxiliary)]
    found: list[dict] = [{} for _ in known[0]]

    def ratio(i, j):
        one, other = known[0][i], known[1][j]
        each = [slow_share(known[1], other, q, given["within"], names) for q in names]
        return likelihood(
            [one[q] == other[q] for q in names],
            list(slow_stay(one, other, given)),
            [share for share, _ in each],
            [Fraction(arrivals.overlap) * of_one for _, of_one in each],
        )

    nothing = tuple("" for _ in qids)
    for block in product(*(sorted(set(focal[n].fillna(""))) for n in stable)):
        mine, theirs = (
            [i for i, r in enumerate(side) if tuple(r[n] for n in stable) == block]
            for side in known
        )
        new = newcomers(
            Fraction(arrivals.a_block), Fraction(arrivals.a_record), len(mine)
        )
        scale = odds(Fraction(arrivals.overlap), new)
        weights = [[scale * ratio(i, j) for j in theirs] for i in mine]
        exact = chances(weights) if mine and theirs else [[] for _ in mine]
        for i, row in zip(mine, exact, strict=True):
            left = 1 - sum(row, Fraction(0))
            found[i][nothing] = left
            for j, chance in zip(theirs, row, strict=True):
                z = tuple(known[1][j][q] for q in qids)
                found[i][z] = found[i].get(z, Fraction(0)) + chance
    return found


def slow(focal, auxiliary, given, qids, stable):
    found = slow_chances(focal, auxiliary, given, qids, stable)
    known = focal.fillna("").to_dict("records")
    x = [tuple(r[q] for q in qids) for r in known]
    ill = [r["ill"] for r in known]
    return [float(reidentified(x, found)), float(inferred(x, ill, found))]


def small_releases(rng):
    def some(n, *names):
        values = {name: rng.choice(["a", "b", None], n) for name in names}
        return pd.DataFrame(
            {name: pd.Series(v, dtype=object) for name, v in values.items()}
        )

    n_focal, n_auxiliary = rng.integers(2, 6, 2)
    focal = some(n_focal, "sex", "d0", "d1", "ill")
    auxiliary = some(n_auxiliary, "sex", "d0", "d1")
    for frame in (focal, auxiliary):
        # Releases without a common value of what may change are refused.
        frame.loc[0, ["sex", "d0", "d1"]] = "a"
    return focal, auxiliary


ARRIVALS = transitions.Arrivals(0.75, 0.5, 0.25)


@pytest.fixture
def given(monkeypatch):
    """Have the transition be given; what it was last is noted, and parents.

    `parents` of what is noted has those that are to be taken, with their weights;
    without it they are chosen.
    """
    noted: dict[str, Any] = {}
    chosen, shares_of = choice.chosen, choice.shares_of

    def parent(together):
        if "parents" not in noted or not together:
            return chosen(together)
        wanted = noted["parents"].get(together[0].own)
        found = [each for each in together if wanted and each.parents == wanted[0]]
        return choice.Chosen(found[0], wanted[1], 1.0) if found else None

    def shares_noted(both, together):
        found = shares_of(both, together)
        noted["within"] = {
            both.drifting.names[place]: (
                [both.linking[parent] for parent in w.chosen.together.parents],
                w.chosen.weight,
            )
            for place, w in found.within.items()
        }
        return found

    monkeypatch.setattr("microleak.attacks.linkage.shares.chosen", parent)
    monkeypatch.setattr("microleak.attacks.linkage.linked.shares_of", shares_noted)

    def known(both, *_):
        names, within = both.drifting.names, noted["within"]
        parents = {
            names.index(name): tuple(names.index(p) for p in of if p in names)
            for name, (of, _) in within.items()
        }
        parents = {place: each for place, each in parents.items() if each}
        staying = transitions.Staying(both.drifting, parents, noted["stay"])
        noted["believed"] = staying, ARRIVALS
        return noted["believed"]

    monkeypatch.setattr("microleak.attacks.linkage.linked.estimated", known)
    return noted


def check_success(focal, auxiliary, folder, given, qids, stable):
    asked_of = {"stable": stable, "qids": qids, "person_id": None}
    found = tables(focal, auxiliary, folder, **asked_of)["linked_success"]
    wanted = slow(focal, auxiliary, given, qids, stable)
    assert list(found["posterior_prob_linked"]) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize(
    ("parents", "qids"),
    [
        ({}, ("d0", "d1")),
        ({1: ((0,), 10), 2: ((1,), 1)}, ("sex", "d0")),
        *long(({}, ("sex", "d0")), ({1: ((0,), 10), 2: ((1,), 1)}, ("d0", "d1"))),
        *long(({1: ((0,), 1)}, ("d0", "d1")), ({2: ((1,), 10)}, ("sex", "d0"))),
    ],
)
def test_success_is_that_of_all_matchings(qids, parents, tmp_path, given):
    rng = np.random.default_rng(7)
    given["parents"] = parents
    for _ in range(N_TABLES // 10):
        focal, auxiliary = small_releases(rng)
        given["stay"] = rng.random((2, 2)) * 0.9
        check_success(focal, auxiliary, tmp_path, given, qids, ["sex"])


def test_a_sensitive_value_that_both_have_and_stays_is_intersected(tmp_path, given):
    """Links then are of one value alone, as candidates of an intersection are."""
    rng = np.random.default_rng(12)
    for _ in range(N_TABLES // 20):
        focal, auxiliary = small_releases(rng)
        auxiliary["ill"] = pd.Series(
            rng.choice(["a", "b", None], len(auxiliary)), dtype=object
        )
        focal.loc[0, "ill"] = auxiliary.loc[0, "ill"] = "a"
        given["stay"] = rng.random((2, 2)) * 0.9
        stable = ["sex", "ill"]
        check_success(focal, auxiliary, tmp_path, given, ("sex", "d0"), stable)


def some_known(rng, frame, qids):
    """What one of a frame, or nobody, has of some QIDs."""
    row = frame.sample(1, random_state=int(rng.integers(1000))).iloc[0]
    names = [name for name in qids if rng.random() < 0.6]
    values = {name: rng.choice([row[name], "a", None]) for name in names}
    return {n: None if pd.isna(v) else str(v) for n, v in values.items()}


def slow_target(focal, chances_of, qids, known):
    """Beliefs in the best guesses about a target, record by record."""
    asked = [
        {n: "" if v is None else v for n, v in known.get(r, {}).items()} for r in "12"
    ]
    records = focal.fillna("").to_dict("records")
    mine = [
        i for i, r in enumerate(records) if all(r[n] == v for n, v in asked[0].items())
    ]
    masses = [
        sum(
            (
                chance
                for z, chance in chances_of[i].items()
                if all(z[qids.index(n)] == v for n, v in asked[1].items())
            ),
            Fraction(0),
        )
        for i in mine
    ]
    beliefs = belief_in_records(masses)
    values = defaultdict(Fraction)
    for i, belief in zip(mine, beliefs or [Fraction(0)] * len(mine), strict=True):
        values[records[i]["ill"]] += belief
    return [
        len(mine),
        [max(beliefs, default=None), max(values.values(), default=None)],
        {s for s, p in values.items() if p == max(values.values())},
    ]


@pytest.mark.parametrize("parents", [{1: (0, 10), 2: (1, 1)}, *long({})])
def test_a_target_is_believed_in_as_by_all_matchings(parents, tmp_path, given):
    rng = np.random.default_rng(13)
    given["parents"] = parents
    qids = ("sex", "d0", "d1")
    n_matches = 0
    for _ in range(N_TABLES // 10):
        focal, auxiliary = small_releases(rng)
        given["stay"] = rng.random((2, 2)) * 0.9
        known = {"1": some_known(rng, focal, qids)}
        known["2"] = some_known(rng, auxiliary, qids)
        known = {release: values for release, values in known.items() if values}
        asked_of = {"stable": ["sex"], "qids": qids, "person_id": None}
        analysis, pair = asked(focal, auxiliary, **asked_of)
        resources = Resources(1, 8000, tmp_path)
        found = linked_target_table(pair, analysis, "somebody", known, resources)
        exact = slow_chances(focal, auxiliary, given, qids, ["sex"])
        n, beliefs, likely = slow_target(focal, exact, qids, known)
        assert (found["n_candidates"] == n).all()
        if beliefs[0] is None:
            assert (found["outcome"] == "no match").all()
            assert found["posterior_prob"].isna().all()
            continue
        n_matches += 1
        wanted = [float(each) for each in beliefs]
        assert list(found["posterior_prob"]) == pytest.approx(wanted, abs=1e-10)
        told = found.loc[1, "most_likely"].replace("(missing)", "").split("|")
        assert {*told} == likely
    assert n_matches > N_TABLES // 50


def test_a_target_who_may_be_anybody_takes_a_number_a_value(tmp_path, monkeypatch):
    n, taken = 3000, []
    focal, auxiliary = (each.assign(town="A") for each in twins(n, n // 4))
    analysis, pair = asked(focal, auxiliary, qids=["town", "d0"])
    known = {"1": {"town": "A"}, "2": {"town": "A"}}
    candidates = target._Asked.candidates

    def noted(self, bucket):
        found = candidates(self, bucket)
        taken.append(found)
        return found

    monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 10)
    monkeypatch.setattr(target._Asked, "candidates", noted)
    resources = Resources(1, 8000, tmp_path)
    found = linked_target_table(pair, analysis, "somebody", known, resources)
    assert list(found["n_candidates"]) == [n, n]
    assert len(taken) > 1
    # Three illnesses, and a missing one.
    lists = [(each.n_of_value, each.chance_of_value) for each in taken]
    assert all(len(of_value) == 4 for both in lists for (of_value,) in both)


def test_links_that_are_certain_tell_of_a_target_what_a_panel_tells():
    focal = pd.DataFrame(
        {"id": [1, 2, 3, 4], "born": [1, 2, 3, 4], "town": [*"AAAB"], "ill": [*"yynn"]}
    )
    auxiliary = focal[["id", "born"]].assign(town=[*"ABBA"])
    known = {"focal": {"town": "A"}, "auxiliary": {"town": "B"}}
    rows = microleak.linkage(
        *(focal, auxiliary, ["town"]),
        **{"stable": ["born"], "sensitive": ["ill"], "person_id": "id"},
        targets={"somebody": known, "gone": {"auxiliary": {"town": None}}},
        transition="identifiers",
    ).linked_target
    of_somebody = rows[rows["target"] == "somebody"]
    assert list(of_somebody["n_candidates"]) == [3, 3]
    assert list(of_somebody["posterior_prob_single"]) == pytest.approx([1 / 3, 2 / 3])
    assert list(of_somebody["posterior_prob"]) == pytest.approx([1 / 2, 1 / 2])
    assert list(of_somebody["most_likely"]) == ["", "n|y"]
    assert list(of_somebody["known"]) == ["town|auxiliary.town"] * 2


def test_links_that_are_certain_give_the_success_of_a_panel():
    rng = np.random.default_rng(2)
    n = 200
    focal = pd.DataFrame(
        {
            **{"id": np.arange(n), "born": np.arange(n), "sex": rng.integers(0, 2, n)},
            **{"town": rng.integers(0, 9, n), "ill": rng.integers(0, 3, n)},
        }
    )
    auxiliary = focal[["id", "born", "sex"]].assign(town=rng.integers(0, 9, n))
    found = microleak.linkage(
        *(focal, auxiliary, ["sex", "town"]),
        **{"stable": ["born"], "sensitive": ["ill"], "person_id": "id"},
    )
    panel = microleak.panel(
        focal, {"later": auxiliary}, "id", ["sex", "town"], ["ill"], subsets="full"
    ).collective
    rows = found.linked_success
    of_panel = panel.loc[panel["auxiliary"] == "later", "posterior_prob"]
    alone = panel.loc[panel["auxiliary"] == "", "posterior_prob"]
    assert list(rows["posterior_prob_identified"]) == list(of_panel)
    assert list(rows["posterior_prob_single"]) == list(alone)
    linked_prob = list(rows["posterior_prob_linked"])
    assert linked_prob == pytest.approx(list(of_panel), abs=1e-12)
    assert found.linkage.loc[0, "n_certain"] == n


def test_stable_attributes_that_never_agree_give_the_single_release():
    focal = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "ill": [*"ynny"]})
    auxiliary = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
    rows = microleak.linkage(
        focal, auxiliary, ["a"], stable=["a", "b"], sensitive=["ill"]
    ).linked_success
    assert list(rows["posterior_prob_linked"]) == list(rows["posterior_prob_single"])


def test_chances_are_calibrated_and_as_good_as_those_of_an_oracle(
    tmp_path, monkeypatch
):
    focal, auxiliary = twins(20_000, 5_000)
    found = tables(focal, auxiliary, tmp_path)
    rows = found["linkage"].iloc[0]
    bins = found["linkage_bins"]
    off = (bins["expected_links"] - bins["n_right"]).sum() / rows["n_true"]
    assert abs(off) < 0.01
    assert rows["overlap"] == pytest.approx(OVERLAP, abs=0.01)
    many = bins[bins["n_candidates"] > 2000]
    assert (many["mean_chance"] - many["share_right"]).abs().max() < 0.01

    def true_shares(both, _):
        known = [
            np.concatenate([[0], shares(n)[[int(v) for v in each.to_pylist()[1:]]]])
            for n, each in zip(
                (50, 8),
                (both.focal.values[name].values for name in both.drifting.names),
                strict=True,
            )
        ]
        return choice.Shares(both.stable, both.drifting, known, 0.0, {})

    def oracle(both, *_):
        arrivals = transitions.Arrivals(OVERLAP, 0.15 * 20_000 / 5_000, 0.0)
        return transitions.Staying(both.drifting, {}, np.array([STAY, STAY])), arrivals

    monkeypatch.setattr("microleak.attacks.linkage.linked.shares_of", true_shares)
    monkeypatch.setattr("microleak.attacks.linkage.linked.estimated", oracle)
    best = tables(focal, auxiliary, tmp_path)
    assert rows["f1"] == pytest.approx(best["linkage"].loc[0, "f1"], abs=0.01)
    success = "posterior_prob_linked"
    assert list(found["linked_success"][success]) == pytest.approx(
        list(best["linked_success"][success]), abs=0.01
    )


def test_no_number_depends_on_order_chunks_or_threads(tmp_path, monkeypatch):
    focal, auxiliary = twins(6_000, 1_500)
    for qids in (["birth", "sex", "d0"], ["sex", "d0"]):
        monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 11)
        monkeypatch.setattr(transitions, "PAIRS_TO_LEARN", 1 << 14)
        before = tables(focal, auxiliary, tmp_path, qids=qids)
        monkeypatch.setattr(chunks, "LEAST_ROWS", 100)
        monkeypatch.setattr("microleak.records.memory.Memory.rows_a_chunk", _few)
        mixed = [each.sample(frac=1, random_state=3) for each in (focal, auxiliary)]
        after = tables(*mixed, tmp_path, n_threads=2, qids=qids)
        monkeypatch.undo()
        for name, table in before.items():
            pd.testing.assert_frame_equal(table, after[name], check_exact=True)


def test_success_is_the_same_where_blocks_of_the_same_qids_are_in_several_buckets(
    tmp_path, monkeypatch
):
    focal, auxiliary = twins(3_000, 300)
    asked_of = {"stable": ["sex", "d1", "birth"], "drifting": ["d0"]}
    asked_of |= {"qids": ["birth", "d0"], "sensitive": ["ill", "d1"]}
    monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 9)
    wheres = []
    for is_even in (True, False):
        monkeypatch.setattr(words, "are_even", lambda _, answer=is_even: answer)
        found = tables(focal, auxiliary, tmp_path, **asked_of)["linked_success"]
        wheres.append(found.select_dtypes("float").to_numpy())
    together, apart = wheres
    assert (together[:, 2] > together[:, 1] + 0.01).all()
    # Rounds begin with one bucket, which is another one here.
    assert together == pytest.approx(apart, abs=1e-5)


def test_some_buckets_may_be_without_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 7)
    focal, auxiliary = twins(1_000, 200)
    some = {"stable": ["sex"], "drifting": ["d1"], "qids": ["d1"]}
    found = tables(focal, auxiliary, tmp_path, **some)["linkage"]
    assert found.loc[0, "n_focal"] == 1_000


def _few(_memory, _n_columns):
    return 100


def test_only_the_tables_of_everybody_hold_what_identified_persons_have(
    tmp_path, monkeypatch
):
    put, held = linked.put_releases, []

    def noted(*arguments):
        held.append(arguments[-1][1])
        put(*arguments)

    monkeypatch.setattr(linked, "put_releases", noted)
    analysis, pair = asked(*twins(200, 20))
    resources = Resources(1, 8000, tmp_path)
    linked_target_table(pair, analysis, "somebody", {"1": {"d0": "a"}}, resources)
    linkage_tables(*pair, analysis, resources)
    of_target, of_everybody = held
    assert of_target is None
    assert len(of_everybody) == pair[0].num_rows
