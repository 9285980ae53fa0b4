"""Panels of random persons, some absent, against the plain definition."""

import tempfile
from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.examples import examples
from tests.panels import collective

QIDS = ("home", "school", "stage")
VALUES = st.sampled_from(["0", "1", "01", "", None])
PERSON = st.fixed_dictionaries(dict.fromkeys((*QIDS, "ill"), VALUES))
OTHERS = st.dictionaries(st.sampled_from([f"{n:02}" for n in range(1, 16)]), PERSON)
PEOPLE = st.builds(lambda one, others: {"00": one} | others, PERSON, OTHERS)
"""One person is in every release: releases that share nobody are not linked."""
PANELS = st.tuples(PEOPLE, st.lists(PEOPLE, max_size=3))


def measured(focal, others):
    names = [f"{2014 + n}" for n in range(len(others) + 1)]
    releases = dict(zip(names, [focal, *others], strict=True))
    with tempfile.TemporaryDirectory() as folder:
        return collective(folder, releases, QIDS, ["ill"])


def row_of(person, releases, qids):
    """What is known of a person: each QID in each release, None where absent."""
    return tuple(people.get(person, {}).get(q) for people in releases for q in qids)


def shares(row):
    n = int(row["n_records"])
    return Fraction(int(row["n_certain"]), n), Fraction(int(row["n_modal"]), n)


@examples(40)
@given(PANELS)
def test_every_prefix_and_subset_is_as_the_definitions_say(panel):
    focal, others = panel
    found = measured(focal, others)
    persons = sorted(focal)
    sensitive = [focal[person]["ill"] for person in persons]
    by_key = found.set_index(["auxiliary", "attack", "qids"])
    assert by_key.index.is_unique and len(found) == 14 * (len(others) + 1)
    for n in range(len(others) + 1):
        auxiliary = "|".join(f"{2014 + i}" for i in range(1, n + 1))
        kind = "L" if n else "S"
        for size in (1, 2, 3):
            for qids in combinations(QIDS, size):
                rows = [row_of(p, [focal, *others[:n]], qids) for p in persons]
                key = (auxiliary, f"CR{kind}", "|".join(qids))
                crl = by_key.loc[key]
                assert shares(crl) == (
                    naive.posterior_det_reidentification(rows),
                    naive.posterior_prob_reidentification(rows),
                )
                cal = by_key.loc[auxiliary, f"CA{kind}", "|".join(qids)]
                assert shares(cal) == (
                    naive.posterior_det_inference(rows, sensitive),
                    naive.posterior_prob_inference(rows, sensitive),
                )


@examples(20)
@given(PANELS)
def test_a_further_release_never_lowers_success(panel):
    found = measured(*panel)
    keys = ["sensitive", "qids"]
    for _, rows in found.groupby(keys):
        assert rows["n_certain"].is_monotonic_increasing
        assert rows["n_modal"].is_monotonic_increasing
        assert rows["n_blocks"].is_monotonic_increasing
        assert rows["prior_prob"].nunique() == 1
