"""Counts with noise of a public report: of what, and which noise."""

import hmac
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.publish import PUBLICATION
from microleak.base.files import sha256_of
from microleak.disclosure.noise import range_of
from microleak.records.coding import Group
from microleak.study.jobs import OF_PUBLISHED
from tests.study.noisy_page import ANALYSIS, PEOPLE, exact, naive, noisy_tables
from tests.study_file.given import loaded, refused

COUNTS = ["records", "alone", "most_frequent", "right_guesses"]


def test_counts_are_those_of_all_qids(tmp_path):
    found = exact(tmp_path, PEOPLE)
    assert found["statistic"].tolist() == COUNTS
    assert found["n_noisy"].tolist() == naive(PEOPLE)
    assert found["sensitive"].tolist() == ["", "", "ill", "ill"]
    assert {*found["qids"]} == {"age|street"}


def test_counts_are_those_with_all_releases_linked(tmp_path):
    alike = [{"age": 1, "street": 1, "ill": "y"}] * 9
    found = exact(tmp_path, alike, [{"age": i, "street": 1} for i in range(9)])
    assert found["n_noisy"].tolist() == [9, 9, 9, 9]


values = st.none() | st.integers(0, 2)
rows = st.fixed_dictionaries({"age": values, "street": values, "ill": values})


@given(st.lists(rows, min_size=1, max_size=12), rows)
def test_one_person_more_changes_each_count_by_one_at_most(people, one):
    pairs = zip(naive(people), naive([*people, one]), strict=True)
    assert all(abs(more - fewer) <= 1 for fewer, more in pairs)


def test_one_person_more_changes_the_number_of_certain_values_by_any_number():
    """Which is why it has no noise that would do."""

    def n_certain(people):
        of = {}
        for row in people:
            of.setdefault(row["age"], []).append(row["ill"])
        return sum(len(ill) for ill in of.values() if len({*ill}) == 1)

    people = [{"age": 1, "ill": "y"}] * 50
    assert n_certain(people) - n_certain([*people, {"age": 1, "ill": "n"}]) == 50


def test_epsilon_is_split_over_all_counts_and_the_account_ends_with_the_study(tmp_path):
    tables = noisy_tables(tmp_path)
    counts = tables["noisy_counts/town"]
    assert counts["epsilon"].tolist() == ["1/8"] * 4
    assert counts["range_95"].tolist() == [range_of(Fraction(1, 8))] * 4
    losses = tables["privacy_losses"]
    assert losses.to_numpy().tolist() == [["old", "1"], ["town", "1/2"]]
    assert tables["releases"]["n_records"].isna().all()


def test_noise_is_near_nothing_where_epsilon_is_large(tmp_path):
    counts = noisy_tables(tmp_path, epsilon="400")["noisy_counts/town"]
    assert counts["n_noisy"].tolist() == naive(PEOPLE)


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
    """Two counts of 20 or so agree with a chance below 1 in 10,000 each."""
    epsilon = {"epsilon": "1/2"}
    first, again, different = (
        noisy_tables(tmp_path, **epsilon | each)["noisy_counts/town"]["n_noisy"]
        for each in ({}, {}, other)
    )
    assert first.tolist() == again.tolist()
    assert (first != different).sum() >= 3
    assert first.tolist() != naive(PEOPLE)


def test_noise_does_not_follow_from_how_many_jobs_count(tmp_path):
    in_jobs = [replace(ANALYSIS, n_parts=n) for n in (1, 7)]
    first, again = (
        noisy_tables(tmp_path, analysis=each)["noisy_counts/town"] for each in in_jobs
    )
    assert first.equals(again)


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


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("audience: public", "audience: internal", "has noise and not audience: publ"),
        ("  noise: {epsilon: 1/2, key: KEY}\n", "", 'Add noise: {epsilon: "1/2", key:'),
        ("epsilon: 1/2", "epsilon: 0/2", "has an epsilon of 0"),
        ("epsilon: 1/2", "epsilon: ln 3", "report.noise.epsilon"),
        ("key: KEY", "key: KEY, spent: {demo: 1}", "spent has demo, which is this"),
        ("key: KEY", "key: KEY, spent: {old: '0'}", "has an epsilon of 0"),
        ("key: KEY", "key: none", "there is no file none. Correct key. Make one"),
    ],
)
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


def test_what_is_read_are_the_records_and_their_measures(tmp_path):
    study = loaded(tmp_path, with_key(tmp_path))
    assert [*PUBLICATION.counts_needs(study)] == [
        *("measures/collective/one.csv", "people/people/1.parquet")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("focal: 1,", "focal: coarse,"),
        ("sensitive:", "subsets: {sizes: [1]}, sensitive:"),
    ],
)
def test_releases_made_of_others_and_parts_of_the_qids_are_not_counted(
    tmp_path, old, new
):
    study = loaded(tmp_path, with_key(tmp_path, STUDY.replace(old, new)))
    assert [*PUBLICATION.counts_needs(study)] == []
