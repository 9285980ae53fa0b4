"""Google's page on risk analysis: k-anonymity, l-diversity, k-map, delta-presence."""

from fractions import Fraction

import pandas as pd
import pytest

import microleak
from microleak.attacks.anonymity.definitions.k_anonymity import (
    entity_blocks,
    k_anonymity,
    sizes_in,
    sizes_of,
)
from microleak.attacks.anonymity.definitions.k_map import delta_presence, k_map
from microleak.attacks.anonymity.definitions.sensitive_values import (
    distinct_l,
    k_anonymity_histogram,
    k_map_histogram,
    l_diversity_histogram,
)
from microleak.definitions.profile import partition
from tests.golden import golden, needs_golden
from tests.overlaps import blocks
from tests.spec.leading_example import codes, profiles

DELTA = "delta_presence_max"
USER = ["01", "02", "02", "03", "03", "03", "04", "04"]
CODE = [42000, 17000, 42000, 17000, 42000, 42000, 42000, 17000]

PATIENTS = {
    "zip": [98122, 98115, 98122, 98115, 98115],
    "age": [29, 29, 54, 88, 54],
    "cond": ["heart", "diabetes", "liver", "heart", "asthma"],
}


def test_without_an_entity_identifier_rows_are_counted():
    sizes = sizes_of(partition([codes(CODE)]))
    assert k_anonymity(sizes) == 3
    assert (sizes.size.tolist(), sizes.n_blocks.tolist()) == ([3, 5], [1, 1])
    assert sizes.n_records == 8


def test_users_with_the_same_multiset_of_codes_share_a_block():
    found = entity_blocks(codes(USER), partition([codes(CODE)]))
    one, two, three, four = found.tolist()
    assert two == four
    assert len({one, two, three}) == 3
    sizes = sizes_of(found)
    assert (k_anonymity(sizes), sizes.total_blocks, sizes.n_records) == (1, 3, 4)


@pytest.mark.parametrize(
    ("qids", "k", "l_values"),
    [(["zip", "age"], 1, 1), (["zip"], 2, 2), (["age"], 1, 1)],
)
def test_patients_are_k_anonymous_and_l_diverse(qids, k, l_values):
    _, profile = profiles(PATIENTS, qids, "cond")
    assert k_anonymity(sizes_in(profile)) == k
    assert distinct_l(profile) == l_values


def test_the_bucket_of_patients_by_code_and_its_sensitive_values():
    _, profile = profiles(PATIENTS, ["zip"], "cond")
    sizes = k_anonymity_histogram(sizes_in(profile))
    assert (sizes.lower.tolist(), sizes.upper.tolist()) == ([2, 3], [2, 3])
    assert sizes.share_of_blocks == [Fraction(1, 2)] * 2
    assert sizes.share_of_records == [Fraction(2, 5), Fraction(3, 5)]
    values = l_diversity_histogram(profile)
    assert (values.lower.tolist(), values.n_blocks.tolist()) == ([2, 3], [1, 1])


def test_k_map_is_the_population_of_the_smallest_combination_and_counts_its_records():
    for population, k in (((1, 1000), 1), ((20, 100_000), 20)):
        assert k_map(blocks(*((n, 1, 1) for n in population), (3, 0, 1))) == k
    # 3 to 5 people: 42 records, as in the description of the API's bucket.
    found = k_map_histogram(blocks((3, 2, 1), (5, 40, 1), (1, 1, 7)), (1, 2, 3, 6))
    assert (found.lower.tolist(), found.upper.tolist()) == ([1, 3], [1, 5])
    assert found.n_records.tolist() == [7, 42]


def test_delta_is_the_largest_share_of_a_combination_in_the_sample():
    assert delta_presence(blocks((2, 2, 1), (5, 1, 1))) == 1
    assert delta_presence(blocks((80, 2, 1), (5, 1, 1))) == Fraction(1, 5)
    assert delta_presence(blocks((80, 2, 1))) == Fraction(1, 40)


ENTRIES = {entry["id"]: entry for entry in golden("s001_")}


def columns(given):
    by_name = zip(given["columns"], zip(*given["rows"], strict=True), strict=True)
    return {name: codes(list(column)) for name, column in by_name}


def exact(name, quantity):
    return Fraction(ENTRIES[name]["expected"][quantity]["exact"])


@needs_golden
def test_golden_k_with_and_without_entities_is_met():
    table = columns(ENTRIES["s001_k_with_entity"]["inputs"])
    rows = partition([table["zip"]])
    assert k_anonymity(sizes_of(rows)) == exact("s001_k_without_entity", "k")
    users = sizes_of(entity_blocks(table["user"], rows))
    assert k_anonymity(users) == exact("s001_k_with_entity", "k")
    assert users.total_blocks == exact("s001_k_with_entity", "classes")


@needs_golden
@pytest.mark.parametrize("qids", [["zip"], ["age"], ["zip", "age"]], ids="_".join)
def test_golden_k_and_l_of_patients_are_met(qids):
    given = ENTRIES["s001_patients"]["inputs"]
    _, profile = profiles(columns(given), qids, "cond")
    name = "_".join(qids)
    assert k_anonymity(sizes_in(profile)) == exact("s001_patients", f"k_{name}")
    assert distinct_l(profile) == exact("s001_patients", f"l_{name}")


@needs_golden
def test_golden_k_map_and_delta_are_met():
    people = ENTRIES["s001_kmap"]["inputs"]["population"]
    full = [(people[name], 1, 1) for name in ("85535,79", "60629,42")]
    coarse = [(people[name], 1, 1) for name in ("85535", "60629")]
    assert k_map(blocks(*full)) == exact("s001_kmap", "k_map_full")
    assert k_map(blocks(*coarse)) == exact("s001_kmap", "k_map_generalised")
    people = ENTRIES["s001_delta"]["inputs"]["population"]
    young = (people["62083,53"], 1, 1)
    full = [(people["85942,72"], 2, 1), young]
    coarse = [(people["85942,**"], 2, 1), young]
    assert delta_presence(blocks(*full)) == exact("s001_delta", "delta_full")
    assert delta_presence(blocks(*coarse)) == exact("s001_delta", "delta_generalised")
    assert delta_presence(blocks(young)) == exact("s001_delta", "delta_62083")
    assert delta_presence(blocks(coarse[0])) == exact("s001_delta", "delta_85942")


@needs_golden
@pytest.mark.parametrize(
    ("name", "quantity", "known", "column"),
    [
        ("s001_kmap", "k_map_full", ("85535,79", "60629,42"), "k_map"),
        ("s001_kmap", "k_map_generalised", ("85535", "60629"), "k_map"),
        ("s001_delta", "delta_full", ("85942,72", "62083,53"), DELTA),
        ("s001_delta", "delta_generalised", ("85942,**", "62083,53"), DELTA),
    ],
)
def test_printed_counts_of_the_population_give_golden_k_map_and_delta(
    name, quantity, known, column, tmp_path
):
    people = ENTRIES[name]["inputs"]["population"]
    qids = ["zip", "age"][: 1 + known[0].count(",")]
    # Two stars would be a total.
    counts = [f"{each},{people[each]}".replace("**", "any age") for each in known]
    file = tmp_path / "counts.csv"
    file.write_text("\n".join([",".join([*qids, "count"]), *counts]) + "\n")
    is_young = column == DELTA
    sample = pd.DataFrame(
        [
            each.replace("**", "any age").split(",")
            for each in [known[0]] * (1 + is_young) + [known[1]]
        ],
        columns=qids,
    )
    found = microleak.anonymity(sample, qids, margins=[str(file)], subsets="full")
    value = found.anonymity[column].iloc[0]
    assert value == pytest.approx(float(exact(name, quantity)), rel=1e-15)


@needs_golden
def test_golden_numbers_of_anonymity_are_not_overlooked():
    assert len(ENTRIES) == 5
    assert all(entry["verified"] for entry in ENTRIES.values())
