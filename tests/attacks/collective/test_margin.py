"""Of how many persons a value may be any, for who knows all QIDs: changed and tried."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.margin import edges, margin
from microleak.attacks.collective.publish import margins, public
from microleak.base.progress import told_by
from microleak.disclosure.rounding import counts_of, percent
from microleak.family import measured as of_analysis
from microleak.family import people as path_of_people
from microleak.study.tables import tables as specs
from microleak.tables.files import write_table
from tests.attacks.collective.test_published import publish
from tests.disclosure.small_world import coarse
from tests.panels import collective

QIDS = ("age", "street", "sex")


def town(seed, n=1_060):
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 40, n),
        "street": rng.integers(0, 30, n),
        "sex": rng.integers(0, 2, n),
        "ill": rng.choice(["no", "flu", "cough"], n, p=[0.6, 0.3, 0.1]),
    }
    return pd.DataFrame(columns).astype(str)


def measured(folder, people):
    rows = {f"{i:06}": row for i, row in enumerate(people.to_dict("records"))}
    found = collective(folder, {"2": rows}, QIDS, ("ill",))
    return found[found["sensitive"] == "ill"]


@pytest.mark.parametrize("seed", range(6))
def test_so_many_values_may_be_any_and_the_page_is_the_same(tmp_path, seed):
    people, rng = town(seed), np.random.default_rng(seed)
    _, shown = publish(tmp_path, people.to_dict("records"), QIDS, ("ill",))
    n = min(each.distance for each in edges(measured(tmp_path, people), finest=1))
    for _ in range(4):
        places = rng.choice(len(people), n, replace=False)
        other = people.copy()
        other.loc[places, "ill"] = rng.choice(["no", "flu", "cough", "else"], n)
        _, again = publish(tmp_path, other.to_dict("records"), QIDS, ("ill",))
        pd.testing.assert_frame_equal(again, shown)


def study_of(folder, people, qids, sensitive):
    """A study of a town, and its measures."""
    records = {f"{i:06}": row for i, row in enumerate(people.to_dict("records"))}
    found = collective(folder, {"2": records}, qids, sensitive)
    (folder / "measures/success").mkdir(parents=True)
    (folder / "success/s").rename(folder / "measures/success/s.parquet")
    of_values = [
        {"analysis": "s", "table": "people", "focal": "2", "role": "sensitive"}
        | {"attributes": name, "n_attributes": 1, "n_records": len(people)}
        | {"n_blocks": people[name].nunique(), "entropy": 0.0}
        | {"mean_block_size": 1.0, "expected_block_size": 1.0}
        for name in sensitive
    ]
    tables = {"collective": found, "entropy": specs()["entropy"].frame(of_values)}
    for name, table in tables.items():
        write_table(folder / of_analysis(name, "s"), table, specs()[name])
    file = folder / path_of_people("people", "2")
    file.parent.mkdir(parents=True)
    people.to_parquet(file)
    row = {"table": "people", "release": "2", "n_records": len(people)}
    row |= dict.fromkeys(("n_months", "n_read", "n_refused", "n_kept", "n_dropped"), 1)
    ingest = specs()["ingest"].frame([row | {"synthetic": "true", "sha256": "0"}])
    write_table(folder / "measures/ingest.csv", ingest, specs()["ingest"])
    analysis = Collective("s", "people", "2", qids, sensitive, "all")
    return SimpleNamespace(
        name="town",
        step=1,
        analyses={"collective": {"s": analysis}},
        tables={"people": SimpleNamespace(chain=lambda _: ())},
    )


@pytest.mark.parametrize(("n_ill", "is_shown"), [(400, True), (450, False)])
def test_guesses_are_left_out_together_where_two_counts_are_at_their_edges(
    tmp_path, n_ill, is_shown
):
    """Whatever the attribute: of both nothing is shown, and the owner is told why.

    Of 1,000 who are not ill, 550 are the fewest that round to 60%; a street with one
    value only adds nothing to what is guessed, so the count with it is at this edge.
    """
    people = pd.DataFrame(
        {"street": "a", "ill": ["y"] * n_ill + ["n"] * (1_000 - n_ill), "rich": "n"}
    )
    study = study_of(tmp_path, people, ("street",), ("ill", "rich"))
    said = []
    with told_by(said.append):
        tables = dict(public(study, tmp_path))
    assert len(tables["blocks/s"]) == 1
    assert len(tables["inference/s"]) == 2 * is_shown
    assert len(said) == (not is_shown)
    assert all("leaves out how often best guesses are right" in s for s in said)
    assert len([*margins(study, tmp_path)]) == 2 * is_shown


@pytest.mark.parametrize(("n_small", "is_told"), [(130, False), (105, True)])
def test_guesses_that_tell_who_knows_sizes_are_left_out(tmp_path, n_small, is_told):
    """Of 2,000 people 100 are ill, or 149 by the steps: 105 in a place are not all."""
    places = ["a"] * n_small + ["b"] * (2_000 - n_small)
    people = pd.DataFrame({"place": places, "day": [*range(20)] * 100})
    people["ill"] = ["y" if i % 20 == 0 else "n" for i in range(2_000)]
    study = study_of(tmp_path, people, ("place", "day"), ("ill",))
    said = []
    with told_by(said.append):
        tables = dict(public(study, tmp_path))
    assert (1 in [*tables["inference/s"]["n_qids"]]) != is_told
    assert len(said) == is_told
    assert all("of ill of people are right" in each for each in said)


def test_without_a_sensitive_attribute_tables_have_their_columns(tmp_path):
    people = pd.DataFrame({"place": ["a", "b"] * 600})
    tables = dict(public(study_of(tmp_path, people, ("place",), ()), tmp_path))
    assert tables["inference/s"].columns.tolist() == specs()["inference"].names


def rows(*counts, n=1_000, prior=600, n_blocks=1_000):
    """Measures of sets of QIDs: their number of QIDs and of right guesses."""
    common = {"n_records": n, "prior_prob": prior / n, "n_blocks": n_blocks}
    return pd.DataFrame([common | {"n_qids": k, "n_modal": m} for k, m in counts])


def test_it_is_the_distance_to_the_nearest_edge():
    """Where that count cannot surely be brought away from it."""
    assert margin(rows((1, 720))) == 29
    assert margin(rows((1, 740), prior=649, n_blocks=500)) == 0 + 9 // 2


def test_one_count_alone_is_brought_away_from_its_edge():
    """As far as to the middle between its edge and the next one that is near."""
    assert margin(rows((1, 660))) == 10 + (49 - 10) // 2
    assert margin(rows((1, 750))) == (49 - 0) // 2
    assert margin(rows((1, 700), prior=649)) == (49 - 0) // 2
    assert margin(rows((1, 750), (1, 650))) == 0
    assert margin(rows((1, 750)), rows((1, 652))) == 1
    assert margin(rows((1, 750)), rows((1, 651))) == 0


@pytest.mark.parametrize(("n_blocks", "found"), [(100, 24), (480, 9), (498, 0)])
def test_right_guesses_are_taken_away_only_where_they_surely_can_be(n_blocks, found):
    """In blocks of one, or with as many others, there are none fewer."""
    assert margin(rows((1, 749), n_blocks=n_blocks)) == found


def test_no_other_set_of_qids_becomes_the_worst():
    """An earlier one with the same share would, a later one only with a larger."""
    assert margin(rows((1, 700), (2, 640), (2, 700))) == 9
    assert margin(rows((1, 700), (2, 700), (2, 740))) == 9
    assert margin(rows((1, 700), (2, 700), (2, 660))) == 49


def small_world(seed, n=12):
    """All values of a register's people: counts of right guesses, and values."""
    rng = np.random.default_rng(seed)
    singles = [rng.integers(0, k, n) for k in (2, 3, 4)]
    sets = [(1, each) for each in singles]
    sets += [(2, singles[i] * 9 + singles[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    sets.append((3, singles[0] * 81 + singles[1] * 9 + singles[2]))
    values = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    counts = [np.maximum(values.sum(axis=1), n - values.sum(axis=1))]
    for _, blocks in sets:
        right = 0
        for block in np.unique(blocks):
            ones, size = values[:, blocks == block].sum(axis=1), (blocks == block).sum()
            right = right + np.maximum(ones, size - ones)
        counts.append(right)
    return sets, np.array(counts).T, values


def shown(sets, counts, n, step=50):
    """What the page shows: shares of all and of singles, and the worst of each size."""
    pct = [(200 * int(c) + step * n) // (2 * step * n) for c in counts]
    worst = {}
    for place, (k, _) in enumerate(sets):
        if k not in worst or pct[place + 1] > pct[worst[k] + 1]:
            worst[k] = place
    singles = [pct[i + 1] for i, (k, _) in enumerate(sets) if k == 1]
    return pct[0], *singles, *((p, pct[p + 1]) for p in worst.values())


@pytest.mark.parametrize("seed", range(3))
def test_of_every_small_table_a_register_excludes_no_values(monkeypatch, seed):
    """Of so many persons all values are those of some table that has the page."""
    coarse(monkeypatch, (50,))
    sets, counts, values = small_world(seed)
    n = values.shape[1]
    different, world = np.unique(counts, axis=0, return_inverse=True)
    margins, pages = [], []
    for prior, *right in different.tolist():
        found = rows(*zip((k for k, _ in sets), right, strict=True), n=n, prior=prior)
        found["n_blocks"] = [len(np.unique(blocks)) for _, blocks in sets]
        margins.append(margin(found))
        pages.append(shown(sets, [prior, *right], n))
    of_page = {}
    for place, page in enumerate(pages):
        of_page.setdefault(page, []).append(place)
    assert {0, 1} <= {*margins}
    for places in of_page.values():
        k = max(margins[place] for place in places)
        same = values[np.isin(world, places)]
        for persons in combinations(range(n), min(k, 2)):
            weights = 1 << np.arange(len(persons))
            patterns = same[:, persons] @ weights
            assert len(np.unique(patterns)) == 2 ** len(persons)


@pytest.mark.parametrize("n", [1_000, 1_001, 2_003, 5_001, 10_007])
def test_counts_of_a_share_are_those_that_round_to_it(n):
    step = {1_000: 10, 1_001: 10, 2_003: 5, 5_001: 2, 10_007: 1}[n]
    shares = percent(pd.Series(range(n + 1)), n, step)
    for share in range(0, 101, step):
        found = np.flatnonzero(shares == share)
        assert counts_of(share, n, step) == (found[0], found[-1])
