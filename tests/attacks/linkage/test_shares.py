"""Drifting attributes that depend on another, and shares of their values within it."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import log, prod

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.linkage import shares as choice
from microleak.attacks.linkage import together as counting
from microleak.attacks.linkage import transitions
from microleak.attacks.linkage.definitions.links import excess, share_within
from microleak.attacks.linkage.shares import Chosen, Within, gains_of
from microleak.attacks.linkage.together import Together, together_of
from microleak.attacks.linkage.words import both_of, read_words
from microleak.base.machine import Resources
from microleak.kernels import spilled_rows
from microleak.records import chunks
from microleak.records.memory import Memory
from tests.examples import long, seeds
from tests.property.test_linkage import asked, slow_share, tables

N_DISTRICTS, N_SCHOOLS, N_STAGES = 30, 3, 9
OVERLAP, STAY = 0.8, 0.85
LEAST = counting.LEAST_RECORDS
BY_ID = {"person_id": "id", "transition": "identifiers"}


def people(n, n_births, rng):
    """People with a school of their district, and a stage that birth nearly tells."""
    birth, district = rng.integers(0, n_births, n), rng.integers(0, N_DISTRICTS, n)
    return pd.DataFrame(
        {
            **{"birth": birth, "sex": rng.integers(0, 2, n), "district": district},
            "school": N_SCHOOLS * district + rng.integers(0, N_SCHOOLS, n),
            "stage": (birth + rng.integers(0, 2, n)) % N_STAGES,
            "race": rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def strangers(n, n_births, rng):
    return [people(n, n_births, rng) for _ in range(2)]


def in_tracks(rng, of_district=False):
    """People whose school depends on stage and track, and maybe on the district."""
    both = []
    for _ in range(2):
        found = people(5_000, 40, rng).assign(track=rng.integers(0, 6, 5_000))
        school = 37 * found["stage"] + 11 * found["track"]
        school += 3 * (found["stage"] * found["track"] % 5)
        school = school % 97 + 100 * of_district * found["district"]
        both.append(found.assign(school=school))
    return both


def two_years(n, n_births, seed):
    """People, and the next year of them: some leave, others come and values change."""
    rng = np.random.default_rng(seed)
    every = people(2 * n, n_births, rng)
    redrawn = people(2 * n, n_births, rng)
    redrawn["school"] = every["district"] * N_SCHOOLS + redrawn["school"] % N_SCHOOLS
    later = every.copy()
    for name in ("school", "race"):
        later[name] = every[name].where(rng.random(2 * n) < STAY, redrawn[name])
    stays = np.flatnonzero(rng.random(n) < OVERLAP)
    rows = np.concatenate([stays, np.arange(n, n + n - len(stays))])
    every["id"] = later["id"] = np.arange(2 * n)
    return every[:n], later.iloc[rows]


def linked(first, second, *drifting, stable=("birth", "sex", "district"), **more):
    found = microleak.linkage(
        first, second, ["birth", "sex"], stable=stable, drifting=drifting, **more
    )
    return found.linkage.iloc[0]


def some_releases(rng):
    """Two releases with missing values, in which d1 depends on d0."""
    n = int(rng.integers(2, 40))
    each = rng.choice(["a", "b", "c", None], (2, 4, n), p=[0.4, 0.3, 0.2, 0.1])
    frames = [
        pd.DataFrame(dict(zip(["sex", "d0", "d1", "ill"], rows, strict=True)))
        for rows in each
    ]
    for frame in frames:
        frame["d1"] = frame["d1"].where(rng.random(n) < 0.3, frame["d0"])
        frame.loc[0] = "a"
    return frames


def likelihood_gained(values, weight):
    """The number whose logarithm is the gain of a parent, of pairs with its value.

    One whose value no other record has is not foretold by anything and left out.
    """
    of_parent, of_both = Counter(s for s, _ in values), Counter(values)
    of_own = Counter(y for _, y in values)
    gained = Fraction(1)
    for s, y in values:
        if of_own[y] > 1:
            overall = Fraction(of_own[y] - 1, len(values) - 1)
            others = of_both[s, y] - 1, of_parent[s] - 1
            gained *= share_within(*others, weight, overall) / overall
    return gained


@pytest.mark.parametrize("most_cells", [0, counting.MOST_CELLS])
def test_shares_and_gains_are_those_defined(most_cells, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "MOST_CELLS", most_cells)
    rng = np.random.default_rng(31)
    for _ in range(20):
        releases = some_releases(rng)
        roles = {"stable": ["sex"], "qids": ["sex"], "person_id": None}
        analysis, pair = asked(*releases, **roles)
        memory = Memory(Resources(1, 8000, tmp_path), "here")
        both, _ = both_of(*pair, analysis, memory)
        records = releases[1].fillna("").to_dict("records")
        read = [codes for _, codes in read_words(both, "auxiliary", both.linking)]
        for together in together_of(both, "estimated"):
            for codes in read:
                together.add(codes)
            parent, own = both.linking[together.parents[0]], both.linking[together.own]
            values = [(r[parent], r[own]) for r in records]
            gained = [likelihood_gained(values, Fraction(w)) for w in choice.WEIGHTS]
            assert list(gains_of(together)) == pytest.approx(
                [log(each) for each in gained], abs=1e-9
            )
            within = Within.of(Chosen(together, 10, 0.0))
            codes = [np.concatenate(each) for each in zip(*read, strict=True)]
            told = {own: ([parent], 10)}
            wanted = [slow_share(records, r, own, told, ("d0", "d1")) for r in records]
            assert within.of_codes(codes) == pytest.approx(
                np.array(wanted, dtype=float).T, rel=1e-12
            )


def moved(first, second):
    return [each.assign(town=each["school"] // 2) for each in (first, second)]


def placed(both, name, *columns):
    """Both with what everybody has of a home and a school in either year."""
    return [
        each.assign(**{name: home[each["id"]], "school": school[each["id"]]})
        for each, (home, school) in zip(both, columns, strict=True)
    ]


def with_households(first, second):
    """Both with a household of three, half of which have its school, and few others."""
    rng = np.random.default_rng(2)
    n = 2 * len(first)
    household, school_of = rng.integers(0, n // 3, n), rng.integers(0, 90, n)
    school = np.where(rng.random(n) < 0.5, school_of[household], rng.integers(0, 90, n))
    moves, new = rng.random(n) < 0.15, rng.permutation(n)
    later = [np.where(moves, each[new], each) for each in (household, school)]
    return placed((first, second), "town", (household, school), later)


@pytest.mark.parametrize("made", [moved, with_households])
@pytest.mark.parametrize("drifting", [("school", "town"), ("town", "school")])
def test_values_that_change_together_are_no_other_people(made, drifting):
    releases = made(*two_years(4_000, 1_000, 6))
    row = linked(*releases, *drifting, stable=("birth", "sex"), person_id="id")
    assert row["parents"] == "=".join(reversed(drifting))
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.02)


@pytest.mark.parametrize("seed", seeds(5))
def test_attributes_that_are_independent_have_no_parent(seed):
    rng = np.random.default_rng(seed)
    both = [
        each.assign(school=rng.permutation(each["school"]))
        for each in strangers(3_000, 700, rng)
    ]
    assert linked(*both, "race", "school")["parents"] == ""


def test_links_are_as_good_as_of_an_oracle_of_the_schools(tmp_path, monkeypatch):
    n, n_births = 20_000, 100
    releases = [each.assign(ill="no") for each in two_years(n, n_births, 4)]
    roles = {"stable": ["birth", "sex", "district"], "drifting": ["school", "race"]}
    roles |= {"qids": ["birth", "sex"]}
    found = tables(*releases, tmp_path, **roles)
    row, bins = found["linkage"].iloc[0], found["linkage_bins"]
    assert row["parents"] == "school=district"
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.01)
    many = bins[bins["n_candidates"] > 2_000]
    assert (many["mean_chance"] - many["share_right"]).abs().max() < 0.01

    def true_shares(both, _):
        each = [both.focal.values[name].values for name in both.drifting.names]
        schools = np.full(len(each[0]), 1 / N_SCHOOLS)
        races = np.array([0, 0.4, 0.3, 0.2, 0.1])
        return choice.Shares(both.stable, both.drifting, [schools, races], 0.0, {})

    def oracle(both, *_):
        a_block = (1 - OVERLAP) * n / (n_births * 2 * N_DISTRICTS)
        stay = np.array([STAY, STAY])
        arrivals = transitions.Arrivals(OVERLAP, a_block, 0.0)
        return transitions.Staying(both.drifting, {}, np.array([stay, stay])), arrivals

    monkeypatch.setattr("microleak.attacks.linkage.linked.shares_of", true_shares)
    monkeypatch.setattr("microleak.attacks.linkage.linked.estimated", oracle)
    best = tables(*releases, tmp_path, **roles)["linkage"].iloc[0]
    for name in ("precision", "recall"):
        assert row[name] == pytest.approx(best[name], abs=0.01)


def test_a_counted_transition_is_weighed_within_parents_too():
    first, second = two_years(20_000, 100, 8)
    row = linked(first, second, "school", "race", **BY_ID)
    assert row["parents"] == "school=district"
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.01)


def test_of_counted_changes_no_drifting_attribute_is_a_parent():
    """Where school and district change together, both changes are of one move."""
    rng = np.random.default_rng(9)
    first, second = two_years(20_000, 3_000, 8)
    moves = rng.random(len(second)) < 0.2
    elsewhere = people(len(second), 3_000, rng).set_index(second.index)
    for name in ("school", "district"):
        second[name] = second[name].where(~moves, elsewhere[name])
    stable = ("birth", "sex")
    row = linked(first, second, "school", "district", stable=stable, **BY_ID)
    assert row["parents"] == ""
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.08)
    row = linked(first, second, "school", "district", stable=stable, person_id="id")
    assert row["parents"] == "district=school"


def test_a_parent_of_too_many_pairs_is_not_taken(monkeypatch):
    first, second = two_years(4_000, 200, 5)
    for module in (choice, counting):
        monkeypatch.setattr(module, "MOST_PAIRS", N_DISTRICTS * N_SCHOOLS - 1)
    assert linked(first, second, "school")["parents"] == ""


@pytest.fixture
def in_any_order(tmp_path, monkeypatch):
    """Return the row of links, which is the same in any order, chunks and threads."""
    monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 11)
    monkeypatch.setattr(counting, "MOST_CELLS", 0)
    monkeypatch.setattr(counting, "_WAITING", 1_000)

    def of(releases, *drifting):
        releases = [each.assign(ill="no") for each in releases]
        roles = {"stable": ["birth", "sex", "district"], "qids": ["birth", "sex"]}
        roles |= {"drifting": list(drifting), "person_id": None}
        before = tables(*releases, tmp_path, **roles)
        with monkeypatch.context() as patch:
            patch.setattr(chunks, "LEAST_ROWS", 100)
            patch.setattr(Memory, "rows_a_chunk", lambda *_: 700)
            mixed = [each.sample(frac=1, random_state=3) for each in releases]
            after = tables(*mixed, tmp_path, n_threads=2, **roles)
        for name, table in before.items():
            pd.testing.assert_frame_equal(table, after[name], check_exact=True)
        return before["linkage"].iloc[0]

    return of


@pytest.mark.parametrize(
    ("n_cells", "n_least"), [(0, 1_500), (300, LEAST), *long((0, LEAST), (300, 1_500))]
)
def test_parents_are_chosen_by_some_values(n_least, n_cells, in_any_order, monkeypatch):
    monkeypatch.setattr(counting, "MOST_CELLS", n_cells)
    monkeypatch.setattr(counting, "LEAST_RECORDS", n_least)
    row = in_any_order(two_years(6_000, 100, 7), "school", "race", "stage")
    assert row["parents"] == "school=district|stage=birth"


@pytest.mark.parametrize(
    ("n_most", "parents"), [(1 << 23, "school=birth&district"), (1_000, "")]
)
def test_pairs_are_counted_in_full(n_most, parents, in_any_order, monkeypatch):
    """Of 1,200 pairs of birth and district, each of which has one school."""
    for module in (choice, counting):
        monkeypatch.setattr(module, "MOST_PAIRS", n_most)
    both = crossed(np.random.default_rng(5))
    assert in_any_order(both, "school", "race")["parents"] == parents


def slow_excess(records, stable, within, names):
    """The excess of attributes together, of the blocks that the focal release has."""
    blocks = {value: [] for value in stable}
    (parents, _) = within.get(names[0], ((), 0)) if len(names) == 1 else ((), 0)
    for record in records:
        if record["sex"] in blocks:
            each = [
                slow_share(records, record, name, within, ("d0", "d1"), without=True)
                for name in names
            ]
            share = prod(of_name for of_name, _ in each)
            values = tuple(record[name] for name in names)
            within_what = tuple(record[name] for name in parents)
            blocks[record["sex"]].append((within_what, values, share))
    return excess(list(blocks.values()))


PARENTS = [(), (["sex"], 10), (["d0"], 1), (["sex", "d0"], 0.1)]


@pytest.mark.parametrize(
    ("parents", "is_chance", "n_releases"),
    [
        *((each, False, 3) for each in PARENTS),
        (PARENTS[1], True, 3),
        *long(*product(PARENTS, (False, True), (20,))),
    ],
)
def test_excess_is_as_defined(parents, is_chance, n_releases, tmp_path, monkeypatch):
    rng = np.random.default_rng(17)
    for name in ("BY_CHANCE", "FEWEST", "HARMLESS"):
        bound = 1e9 if is_chance else -1e9
        monkeypatch.setattr(f"microleak.attacks.linkage.linked.{name}", bound)
    told = {"d1": parents} if parents else {}
    monkeypatch.setattr(choice, "chosen", lambda each: _wanted(each, told))
    monkeypatch.setattr(
        "microleak.attacks.linkage.linked.together_of", lambda both, _: _every(both)
    )
    for _ in range(n_releases):
        releases = some_releases(rng)
        roles = {"stable": ["sex"], "qids": ["sex"], "person_id": None}
        row = tables(*releases, tmp_path, **roles)["linkage"].iloc[0]
        focal, auxiliary = (each.fillna("").to_dict("records") for each in releases)
        blocks = {record["sex"] for record in focal}
        wanted = {
            "|".join(names): slow_excess(auxiliary, blocks, told, names)
            for names in (["d0"], ["d1"], ["d0", "d1"])
        }
        *each, both = wanted
        most = max(each, key=wanted.get)
        most = both if wanted[both] > wanted[most] else most
        most = "" if is_chance or not any(wanted.values()) else most
        assert row["excess_attribute"] == most
        assert row["excess_agreement"] == pytest.approx(float(wanted.get(most, 0)))


def _every(both):
    """All that may be counted together, pairs of parents too."""
    tried = [((0,), 1), ((0,), 2), ((1,), 2), ((0, 1), 2)]
    return [Together.of(both, parents, own, None) for parents, own in tried]


def _wanted(together, told):
    names = "sex", "d0", "d1"
    for each in together:
        parents, weight = told.get(names[each.own], ((), 0))
        if parents and [names[p] for p in each.parents] == list(parents):
            return Chosen(each, weight, 1e9)
    return None


def crossed(rng):
    """People whose school depends on birth and district together, on neither alone."""
    both = [people(5_000, 40, rng) for _ in range(2)]
    return [e.assign(school=(31 * e["birth"] + 17 * e["district"]) % 97) for e in both]


def rare(rng):
    """Strangers agree in under 2 of 100 pairs, which is far more than by chance."""
    schools = rng.integers(0, 3_000, (20, N_DISTRICTS, 60))
    both = [people(5_000, 20, rng) for _ in range(2)]
    for each in both:
        each["district"] %= 5
        place = each["birth"], each["district"], rng.integers(0, 60, len(each))
        each["school"] = schools[place]
    return both


def of_levels(rng):
    """People whose school is of a stable attribute and one that drifts."""
    both = [people(8_000, 80, rng) for _ in range(2)]
    return [e.assign(school=N_STAGES * e["district"] + e["stage"]) for e in both]


D = "school=district"


@pytest.mark.parametrize(
    ("made", "drifting", "parents"),
    [
        (400, ["school"], D),
        (40, ["school", "race"], D),
        *long((40, ["school"], D), (400, ["school", "race"], D)),
        (rare, ["school", "race"], "school=birth&district"),
        (of_levels, ["stage", "school"], "stage=birth|school=district&stage"),
        (in_tracks, ["stage", "track", "school"], "stage=birth|school=stage&track"),
    ],
)
def test_strangers_are_no_links(made, drifting, parents):
    """Given how they are made, or how many births there are."""
    if isinstance(made, int):
        both = strangers(5_000, made, np.random.default_rng(made))
    else:
        both = made(np.random.default_rng(5))
    row = linked(*both, *drifting)
    assert row["parents"] == parents
    assert row["n_links"] == 0
    assert row["overlap"] < 0.05 or not isinstance(made, int)


def test_a_school_of_birth_and_district_together_links_nobody_else():
    """What no pair tells is doubted."""
    both = crossed(np.random.default_rng(5))
    row = linked(*both, "school", "race")
    assert row["parents"] == "school=birth&district"
    assert row["n_links"] == 0
    assert row["excess_agreement"] < 0.03
    assert row["overlap"] < 0.1
    for each in both:
        each["school"] = (each["school"] + 13 * each["sex"]) % 97
    row = linked(*both, "school", "race")
    assert row["excess_agreement"] > 0.2
    assert row["excess_attribute"] == "school"
    assert row["n_certain"] == 0


@pytest.mark.parametrize("n_values", [(3, 5), (8, 8)])
def test_a_school_of_two_attributes_links_nobody_else_in_few_blocks(n_values):
    rng = np.random.default_rng(5)
    schools = rng.integers(0, 1_000, (*n_values, N_SCHOOLS))

    def some():
        n = 100 * n_values[0] * n_values[1]
        town, ward = (rng.integers(0, k, n) for k in n_values)
        school = schools[town, ward, rng.integers(0, N_SCHOOLS, n)]
        names = {"town": town, "ward": ward, "school": school}
        return pd.DataFrame({**names, "race": rng.integers(0, 4, n)})

    kinds = {"stable": ["town", "ward"], "drifting": ["school", "race"]}
    row = microleak.linkage(some(), some(), ["town"], **kinds).linkage.iloc[0]
    assert row["parents"] == "school=town&ward"
    assert (row["n_links"], row["excess_agreement"]) == (0, 0)


def test_agreement_in_all_three_is_doubted_where_no_two_tell_the_school():
    both = in_tracks(np.random.default_rng(5), of_district=True)
    row = linked(*both, "stage", "track", "school")
    assert row["excess_attribute"] == "stage|track|school"
    more = row["excess_agreement"] * row["n_candidates"]
    assert more > 0.5 * row["expected_links"]


def test_expected_links_are_right_where_a_parent_has_one_block_or_two():
    """A share of all its records has the partner's value in it."""
    n = 20_000
    rng = np.random.default_rng(3)
    home = rng.integers(0, 300, (2, 2 * n))
    homes = home[0], np.where(rng.random(2 * n) < STAY, *home)
    both = [
        each.assign(
            home=of_year[each["id"]],
            school=each["school"] % N_SCHOOLS
            + N_SCHOOLS * (31 * each["birth"] + 17 * each["district"] % 97),
        )
        for each, of_year in zip(two_years(n, 20, 6), homes, strict=True)
    ]
    row = linked(*both, "school", "home", "race", person_id="id")
    assert row["parents"] == "school=birth&district"
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.02)


def with_homes():
    """Two years of people in homes of two, of whom many leave and keep the school.

    Nine of ten have the school of their home when they come to it.
    """
    n, n_schools, rng = 20_000, 90, np.random.default_rng(2)
    homes = rng.integers(0, n, (2, 2 * n))
    school_of_home = rng.integers(0, n_schools, n)
    drawn = rng.integers(0, n_schools, homes.shape)
    schools = np.where(rng.random(homes.shape) < 0.9, school_of_home[homes], drawn)
    leaves = rng.random(2 * n) < 0.4
    is_new = rng.random(2 * n) < np.where(leaves, 0.3, 0.05)
    later = np.where(leaves, *homes[::-1]), np.where(is_new, *schools[::-1])
    return placed(two_years(n, n // 3, 6), "home", (homes[0], schools[0]), later)


def test_a_record_is_no_witness_of_what_its_own_home_has():
    """Counted with the record, a school is common wherever few live."""
    roles = {"stable": ["birth", "sex"], "drifting": ["home", "school"]}
    qids = ["birth", "sex"]
    found = microleak.linkage(*with_homes(), qids, person_id="id", **roles)
    row, bins = found.linkage.iloc[0], found.linkage_bins
    assert row["parents"] == "school=home"
    assert row["expected_links"] == pytest.approx(row["n_true"], rel=0.01)
    many = bins[bins["n_candidates"] > 2_000]
    assert (many["mean_chance"] - many["share_right"]).abs().max() < 0.01
