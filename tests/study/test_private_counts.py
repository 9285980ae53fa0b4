"""Counts with noise of a public report: of what, and which noise."""

import hmac
import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.publish import PUBLICATION
from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.definitions.laplace import (
    STEP,
    keyed_draws,
    laplace_noise,
    range_of,
    written,
)
from microleak.definitions.vectors import SENSITIVITY
from microleak.records.coding import Group
from microleak.study.jobs import OF_PUBLISHED
from microleak.study.private_counts import private_needs
from microleak.study.publish import said_of_page
from microleak.study_file.noise import NoiseSection
from microleak.study_file.shown import shown_sets
from tests.examples import examples
from tests.study.noisy_page import (
    ANALYSIS,
    PEOPLE,
    QIDS,
    STATISTICS,
    counts_of,
    exact,
    naive,
    naive_counts,
    noisy_tables,
)
from tests.study_file.given import loaded, refused

FEW = [
    {"age": age, "street": street, "ill": ill}
    for age, street, ill in product((1, None), (1, 2, 3), ("y", None))
]


def test_counts_are_those_of_the_set_that_is_shown(tmp_path):
    found = exact(tmp_path, PEOPLE)
    kinds = [each.statistic for each in found]
    assert kinds == [*dict.fromkeys(STATISTICS)]
    assert [each.count(tmp_path) for each in found] == [
        naive(PEOPLE)[kind] for kind in kinds
    ]
    assert [each.sensitive for each in found] == ["", "ill", "", "ill"]
    assert [each.qids for each in found] == [(), (), QIDS, QIDS]


def test_each_set_shown_has_its_own_counts_and_unique_may_stand_for_sizes(
    tmp_path,
):
    shown = [("age",), ("street",)]
    found = exact(tmp_path, PEOPLE, shown=shown, is_sized=False)
    of_sets = [(each.qids, each.statistic, each.count(tmp_path)) for each in found]
    assert of_sets[2:] == [
        (qids, kind, naive(PEOPLE, qids)[kind])
        for qids in shown
        for kind in ("unique", "right_guesses")
    ]


def test_counts_are_those_with_all_releases_linked(tmp_path):
    alike = [{"age": 1, "street": 1, "ill": "y"}] * 9
    found = exact(tmp_path, alike, [{"age": i, "street": 1} for i in range(9)])
    assert found[2].count(tmp_path) == [9, 0, 0, 0, 0]
    assert {each.auxiliary for each in found} == {("1",)}


@examples(25)
@given(st.lists(st.sampled_from(FEW), min_size=1, max_size=130))
def test_counts_are_those_of_the_definitions(tmp_path_factory, people):
    folder = tmp_path_factory.mktemp("made")
    assert counts_of(exact(folder, people), folder) == naive_counts(people)


def test_one_person_more_changes_each_vector_by_its_sensitivity_at_most():
    """5,000 tables with blocks at the ends of all classes, and each neighbour."""
    random = Random(1)
    worst = dict.fromkeys(SENSITIVITY, 0)
    for _ in range(5000):
        people = table_at_edges(random)
        before, after = naive(people), naive([*people, person(random)])
        for kind, counts in before.items():
            change = sum(abs(a - b) for a, b in zip(counts, after[kind], strict=True))
            worst[kind] = max(worst[kind], change)
    assert worst == SENSITIVITY


def table_at_edges(random):
    """People in a few blocks, of sizes at which a class ends or begins."""
    sizes = random.choices([0, 1, 1, 2, 4, 5, 9, 10], k=4)
    sizes.append(random.choice([0, 99, 100]) if random.random() < 0.1 else 0)
    return [
        {"age": age, "street": 1, "ill": random.choice(["y", "n", None, "x"])}
        for age, size in enumerate(sizes)
        for _ in range(size)
    ]


def person(random):
    ill = random.choice(["y", "n", None, "x"])
    return {"age": random.randrange(5), "street": 1, "ill": ill}


def test_vectors_cost_their_sensitivity_and_the_account_ends_with_the_study(tmp_path):
    tables = noisy_tables(tmp_path)
    counts = tables["noisy_counts/town"]
    assert counts["statistic"].tolist() == STATISTICS
    assert counts["epsilon"].tolist() == ["0.1"] * 8  # of 1 + 1 + 2 + 1
    assert counts["range_95"].tolist() == [range_of(Fraction(1, 10))] * 8
    losses = tables["privacy_losses"]
    assert losses.to_numpy().tolist() == [["old", "1"], ["town", "0.5"]]
    assert tables["releases"]["n_records"].isna().all()


def test_weights_divide_epsilon(tmp_path):
    tables = noisy_tables(tmp_path, epsilon="1", weights={"block_sizes": 3})
    counts = tables["noisy_counts/town"]
    parts = dict(zip(counts["statistic"], counts["epsilon"], strict=True))
    assert parts == {
        **dict.fromkeys(("records", "most_frequent", "right_guesses"), "1/9"),
        "block_sizes": "1/3",
    }


@pytest.mark.parametrize("weights", [{}, {"records": 5}])
def test_a_range_gives_the_least_epsilon_that_keeps_it(tmp_path, weights):
    tables = noisy_tables(tmp_path, within=50, weights=weights)
    assert max(tables["noisy_counts/town"]["range_95"]) == 50
    section = NoiseSection(within=50, key="k", weights=weights)
    epsilon, parts = section.split([*dict.fromkeys(STATISTICS)])
    assert tables["privacy_losses"]["epsilon"].iloc[-1] == written(epsilon)
    least = min(parts.values()) / epsilon
    assert range_of((epsilon - STEP) * least) == 51
    assert sum(SENSITIVITY[kind] * part for kind, part in parts.items()) == epsilon


@pytest.mark.parametrize(
    ("n_facts", "n_sensitive", "is_sized", "range_95"),
    [(0, 2, False, 18), (0, 2, True, 21), (6, 1, True, 69), (11, 2, True, 153)],
)
def test_ranges_of_pages_at_epsilon_1(n_facts, n_sensitive, is_sized, range_95):
    """Of the full set, and of single facts beside it."""
    blocks = "block_sizes" if is_sized else "unique"
    of_a_set = [blocks, *["right_guesses"] * n_sensitive]
    kinds = ["records", *["most_frequent"] * n_sensitive, *of_a_set * (n_facts + 1)]
    _, parts = NoiseSection(epsilon="1", key="k").split(kinds)
    assert {range_of(part) for part in parts.values()} == {range_95}


def test_noise_is_near_nothing_where_epsilon_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr("microleak.study.private_counts.MOST_EPSILON", 99)
    monkeypatch.setattr("microleak.study.private_counts.range_of", lambda _: 1)
    counts = noisy_tables(tmp_path, epsilon="99")["noisy_counts/town"]
    assert counts["n_noisy"].tolist() == naive_counts(PEOPLE)


@pytest.mark.parametrize(
    "other",
    [
        {"study": "town-2"},
        {"key": b"q" * 32},
        {"rows": b"row"},
        {"epsilon": "501/1000"},
        {"analysis": replace(ANALYSIS, fewer={"1": ("age",)})},
        {"analysis": replace(ANALYSIS, groups=(Group("g", "ill", ("y",)),))},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_same_study_has_the_same_noise_and_another_one_its_own(tmp_path, other):
    """Two counts with a range of 30 agree with a chance below 1 in 20 each."""
    epsilon = {"epsilon": "1/2"}
    first, again, different = (
        noisy_tables(tmp_path, **epsilon | each)["noisy_counts/town"]["n_noisy"]
        for each in ({}, {}, other)
    )
    assert first.tolist() == again.tolist()
    assert (first != different).sum() >= 5
    assert first.tolist() != naive_counts(PEOPLE)


def test_another_part_of_epsilon_has_noise_of_its_own(tmp_path):
    """Two that follow from the same bits would be nearly multiples of each other."""
    noise = [
        noisy_tables(tmp_path, epsilon=each)["noisy_counts/town"]["n_noisy"]
        - naive_counts(PEOPLE)
        for each in ("1/20", "2/20")
    ]
    assert (abs(noise[0] - 2 * noise[1]) > 5).sum() >= 4


def test_noise_does_not_follow_from_how_many_jobs_count(tmp_path):
    in_jobs = [replace(ANALYSIS, n_parts=n) for n in (1, 7)]
    first, again = (
        noisy_tables(tmp_path, analysis=each)["noisy_counts/town"] for each in in_jobs
    )
    assert first.equals(again)


def test_no_page_is_much_likelier_with_a_person_than_without(tmp_path):
    """Odds of all counts of a page at once, of 2,000 keys on two neighbours."""
    pages, n_keys = [], 2000
    for people in (PEOPLE[:40], PEOPLE[:41]):
        folder = tmp_path / str(len(people))
        vectors = exact(folder, people)
        epsilon, parts = NoiseSection(epsilon="1", key="k").split(
            [each.statistic for each in vectors]
        )
        counts = [(n, parts[v.statistic]) for v in vectors for n in v.count(folder)]
        pages.append(
            [
                [n + laplace_noise(part, below) for n, part in counts]
                for key in range(n_keys)
                for below in [
                    keyed_draws(key.to_bytes(32, "big"), str(counts).encode())
                ]
            ]
        )
    middle = naive_counts(PEOPLE[:41])
    both = zip(naive_counts(PEOPLE[:40]), middle, strict=True)
    signs = [more - fewer for fewer, more in both]
    seen = [
        sum(
            all(
                (n - m) * sign >= 0
                for n, m, sign in zip(page, middle, signs, strict=True)
            )
            for page in each
        )
        for each in pages
    ]
    assert min(seen) > 50
    error = sum(1 / n for n in seen) ** 0.5
    assert abs(log(seen[1] / seen[0])) <= float(epsilon) + 3 * error


STUDY = """\
study: demo
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: town.csv}}
protections:
  coarse: {table: people, release: 1, steps: [{drop: [town]}]}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [age, sex], sensitive: [ill]}
report:
  audience: public
  noise: {epsilon: 1/2, key: KEY}
"""


def with_key(folder, text=STUDY, n_bytes=32):
    (folder / "key").touch(0o600)
    (folder / "key").write_bytes(bytes(range(n_bytes)))
    return text.replace("KEY", str(folder / "key"))


def test_noise_that_cannot_be_is_refused(tmp_path, old, new, words):
    assert old in STUDY
    refused(tmp_path, with_key(tmp_path, STUDY.replace(old, new)), words)


def test_a_short_key_is_refused(tmp_path):
    refused(tmp_path, with_key(tmp_path, n_bytes=31), "has 31 bytes, and a key has 32")


def test_no_hash_of_the_key_is_kept(tmp_path):
    study = loaded(tmp_path, with_key(tmp_path))
    (job,) = (j for _, jobs in OF_PUBLISHED for j in jobs(study))
    found = job.settings["key"]
    assert found == hmac.new(bytes(range(32)), b"fingerprint", "sha256").hexdigest()
    assert sha256_of(tmp_path / "key") not in json.dumps(job.settings)
    (tmp_path / "key").write_bytes(bytes(range(1, 33)))
    (other,) = (j for _, jobs in OF_PUBLISHED for j in jobs(study))
    assert other.settings["key"] != found


def needs(study):
    return private_needs(study, study.noise, [*PUBLICATION.vectors(study)])


def test_what_is_read_are_the_records_and_their_measures(tmp_path):
    study = loaded(tmp_path, with_key(tmp_path))
    assert [*needs(study)] == [
        *("measures/ingest.csv", "measures/collective/one.csv"),
        *("people/people/1.parquet", "measures/success/one.parquet"),
    ]


def test_a_page_that_tells_too_much_or_what_is_not_is_refused(tmp_path, noise, words):
    """Before anything is counted."""
    text = STUDY.replace("epsilon: 1/2", noise)
    study = loaded(tmp_path, with_key(tmp_path, text))
    with pytest.raises(StudyError, match=words):
        needs(study)


@pytest.mark.parametrize(
    ("noise", "n_said", "words"),
    [
        ("epsilon: 1/2", 1, r"is 0\.5: 50 chances .* can become 74 at most$"),
        (
            "epsilon: 1/2, spent: {old: '3'}",
            1,
            r"is 0\.5 \(3\.5 with those un",
        ),
        ("within: 1", 1, r"is 8\.827325: 50 .* 100 at most$"),
        ("epsilon: '8', spent: {old: '3'}", 2, "^warning: an epsilon above 10 keeps"),
    ],
)
def test_a_run_says_first_what_a_page_tells_of_a_person(tmp_path, noise, n_said, words):
    text = STUDY.replace("epsilon: 1/2", noise)
    said = [*said_of_page(loaded(tmp_path, with_key(tmp_path, text)))]
    assert len(said) == n_said
    assert any(re.search(words, each) for each in said), said


def test_a_run_says_which_analyses_the_page_leaves_out(tmp_path):
    more = "  anonymity: [{name: two, table: people, focal: 1, qids: [age]}]\nreport:"
    text = STUDY.replace("report:", more)
    said = [*said_of_page(loaded(tmp_path, with_key(tmp_path, text)))]
    assert said[1:] == ["the public page leaves out: anonymity two"]


def test_another_list_of_counts_has_other_noise_for_all(tmp_path):
    """Else the difference of two pages would be an exact count."""
    tables = [noisy_tables(tmp_path / str(n), n_vectors=n) for n in (4, 3)]
    first, second = (each["noisy_counts/town"]["n_noisy"][:7] for each in tables)
    assert (first != second).sum() >= 5


NOT_MEASURED = "no scenario and no set of QIDs that a coll"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sensitive:", "subsets: {sizes: [1]}, sensitive:", "has nothing to count"),
        (
            "analyses:",
            "scenarios: {full: [age]}\nanalyses:",
            "scenarios has full, which stands for all",
        ),
        ("key: KEY", "key: KEY, shown: [nobody]", NOT_MEASURED),
        ("key: KEY", "key: KEY, shown: [[age, town]]", NOT_MEASURED),
    ],
)
def test_sets_that_cannot_be_shown_are_refused(tmp_path, old, new, words):
    text = with_key(tmp_path, STUDY.replace(old, new))
    with pytest.raises(StudyError, match=words):
        needs(loaded(tmp_path, text))


SCENARIOS = "scenarios: {boss: [age], doctor: [sex, age]}\n"


@pytest.mark.parametrize(
    ("scenarios", "shown", "sets"),
    [
        ("", "", [("age", "sex")]),
        (SCENARIOS, "", [("age",), ("age", "sex")]),
        (SCENARIOS, "shown: [full], ", [("age", "sex")]),
        (SCENARIOS, "shown: [[sex], boss], ", [("sex",), ("age",)]),
        (SCENARIOS, "shown: [doctor, full], ", [("age", "sex")]),
    ],
)
def test_what_is_shown_follows_from_the_study_file(tmp_path, scenarios, shown, sets):
    text = STUDY.replace("analyses:", f"{scenarios}analyses:")
    text = text.replace("epsilon: 1/2, ", f"epsilon: 1/2, {shown}")
    study = loaded(tmp_path, with_key(tmp_path, text))
    analysis = study.analyses["collective"]["one"]
    assert shown_sets(study, analysis.qids, analysis.subsets) == sets


def test_protected_releases_are_counted_if_made_by_record(tmp_path, step, is_counted):
    text = STUDY.replace("drop: [town]", step).replace("focal: 1,", "focal: coarse,")
    study = loaded(tmp_path, with_key(tmp_path, text))
    if is_counted:
        assert "people/people/coarse.parquet" in needs(study)
        return
    method = step.partition(":")[0]
    with pytest.raises(StudyError, match=f"release coarse, which is made by {method}"):
        [*needs(study)]


def test_pooled_releases_are_refused(tmp_path):
    pooled = "pooled:\n  all_of: {table: people, releases: [1, 2], attribute: state}\n"
    text = STUDY.replace("1: {archive: town.csv}", "1: {archive: a}, 2: {archive: b}")
    text = text.replace("protections:", f"{pooled}protections:")
    text = text.replace("focal: 1,", "focal: all_of,")
    text = text.replace("person_id: id", "delimiter: ','")
    with pytest.raises(StudyError, match="all_of, which is pooled of several: one pe"):
        [*needs(loaded(tmp_path, with_key(tmp_path, text)))]


def test_releases_of_units_are_refused(tmp_path):
    """One person more changes the records of all others in the household."""
    units = "units:\n  homes: {table: people, release: 1, unit: town, facts: {n: {}}}\n"
    text = STUDY.replace("protections:", f"{units}protections:")
    text = text.replace("focal: 1,", "focal: homes,")
    with pytest.raises(StudyError, match="homes, which is made with facts of units"):
        [*needs(loaded(tmp_path, with_key(tmp_path, text)))]
