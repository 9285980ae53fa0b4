"""Laws of the intersection attack, and its definitions spelt out."""

from fractions import Fraction
from math import nan

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.intersection import measure
from microleak.attacks.intersection.definitions import (
    belief,
    values_left,
)
from microleak.attacks.intersection.measure import BucketRows, intersection_table
from microleak.attacks.intersection.section import Intersection
from microleak.base.machine import Resources
from microleak.kernels import spilled_rows
from microleak.kernels.spilled_rows import MemoryShelf
from microleak.records import chunks
from microleak.records.call import meeting_with_id

SHARES = [
    *("posterior_det_single", "posterior_det", "posterior_prob_single"),
    *("posterior_prob", "claimed", "claims_that_hold", "right_single", "right"),
]


def share(part, n):
    return float(Fraction(part) / n) if n else nan


def slow(releases, qids):
    known = [frame.fillna("").to_dict("records") for frame in releases]
    for n_releases in range(1, len(releases) + 1):
        some = known[:n_releases]
        counted = dict.fromkeys(("possible", "alone", "one", "all", "claimed"), 0)
        counted |= dict.fromkeys(("held", "believed", "believed_alone"), Fraction(0))
        right = {"single": Fraction(0), "all": Fraction(0)}
        for person in known[0]:
            x = [person[q] for q in qids]
            candidates = [
                [r["ill"] for r in each if [r[q] for q in qids] == x] for each in some
            ]
            left, own = values_left(candidates), person["ill"]
            alone, both = belief(candidates[:1]), belief(candidates)
            if own in left:
                counted["possible"] += 1
                counted["alone"] += len(set(candidates[0])) == 1
                counted["one"] += len(left) == 1
                counted["believed"] += max(both.values())
                counted["believed_alone"] += max(alone.values())
            if all(person["id"] in [r["id"] for r in each] for each in some):
                counted["all"] += 1
                counted["claimed"] += len(left) == 1
                counted["held"] += left == {own}
                for name, guess in (("single", alone), ("all", both or alone)):
                    best = [s for s in guess if guess[s] == max(guess.values())]
                    right[name] += Fraction(own in best, len(best))
        n, n_all = counted["possible"], counted["all"]
        yield [
            n,
            n_all,
            share(counted["alone"], n),
            share(counted["one"], n),
            share(counted["believed_alone"], n),
            share(counted["believed"], n),
            share(counted["claimed"], n_all),
            share(counted["held"], counted["claimed"]),
            share(right["single"], n_all),
            share(right["all"], n_all),
        ]


def small_release(rng):
    n = int(rng.integers(1, 25))
    columns = {
        name: pd.Series(rng.choice(values, n), dtype=object)
        for name, values in {
            "a": ["x", "y", None],
            "b": ["x", "y"],
            "ill": ["u", "v", "w", None],
        }.items()
    }
    return pd.DataFrame({"id": rng.permutation(30)[:n], **columns})


def test_the_table_is_that_of_the_definitions():
    rng = np.random.default_rng(8)
    for number in range(30):
        releases = [small_release(rng) for _ in range(1 + number % 3 + 1)]
        qids = [["a"], ["a", "b"]][number % 2]
        others = {f"r{i}": each for i, each in enumerate(releases[1:])}
        found = microleak.intersection(
            releases[0], others, qids, ["ill"], person_id="id"
        ).intersection
        wanted = list(slow(releases, qids))
        numbers = found[["n_possible", "n_in_all", *SHARES]].astype(float)
        assert numbers.to_numpy() == pytest.approx(
            np.array(wanted), abs=1e-12, nan_ok=True
        )


def test_a_release_more_never_leaves_a_value_more():
    rng = np.random.default_rng(10)
    for _ in range(20):
        people = small_release(rng)
        others = {f"r{i}": small_release(rng) for i in range(3)}
        rows = microleak.intersection(people, others, ["a"], ["ill"]).intersection
        assert rows["n_possible"].is_monotonic_decreasing
        together = rows.dropna(subset=["posterior_det"])
        assert (together["posterior_det"] >= together["posterior_det_single"]).all()


def table(releases, folder, n_threads=1):
    analysis = Intersection.model_validate(
        {
            **{"name": "crossed", "table": "given", "focal": "0"},
            **{"auxiliary": ["1", "2"], "qids": ["a", "b"]},
            **{"sensitive": ["ill", "c"], "person_id": "id"},
        }
    )
    names = ["a", "b", "c", "ill"]
    frames = {str(number): (each, names) for number, each in enumerate(releases)}
    people = meeting_with_id("intersection", frames, names, "id")
    given = [each.table for each in people]
    return intersection_table(given, analysis, Resources(n_threads, 8000, folder))


N = 6000


def large_releases(rng, qids):
    return [
        pd.DataFrame(
            {"id": rng.permutation(9000)[:N], **qids()}
            | {"ill": rng.integers(0, 7, N), "c": rng.integers(0, 3, N)}
        )
        for _ in range(3)
    ]


def test_no_number_depends_on_order_chunks_or_threads(tmp_path, monkeypatch):
    rng = np.random.default_rng(11)
    releases = large_releases(
        rng, lambda: {"a": rng.integers(0, 300, N), "b": rng.integers(0, 4, N)}
    )
    monkeypatch.setattr(spilled_rows, "ROWS_A_BUCKET", 1 << 11)
    before = table(releases, tmp_path)
    monkeypatch.setattr(chunks, "LEAST_ROWS", 100)
    monkeypatch.setattr("microleak.records.memory.Memory.rows_a_chunk", lambda *_: 100)
    mixed = [each.sample(frac=1, random_state=3) for each in releases]
    after = table(mixed, tmp_path, n_threads=2)
    pd.testing.assert_frame_equal(before, after, check_exact=True)


def test_rows_of_one_value_for_everybody_are_added_up_as_they_come(
    tmp_path, monkeypatch
):
    releases = large_releases(
        np.random.default_rng(12), lambda: {"a": ["x"] * N, "b": ["y"] * N}
    )
    before = table(releases, tmp_path)
    waiting, a_chunk, added, held = 500, 100, BucketRows.added, []
    monkeypatch.setattr(measure, "MOST_WAITING", waiting)
    monkeypatch.setattr(chunks, "LEAST_ROWS", a_chunk)
    rows_a_chunk = "microleak.records.memory.Memory.rows_a_chunk"
    monkeypatch.setattr(rows_a_chunk, lambda *_: a_chunk)

    def noted(parts):
        held.append(sum(len(each.n) for each in parts))
        return added(parts)

    monkeypatch.setattr(BucketRows, "added", noted)
    after = table(releases, tmp_path)
    pd.testing.assert_frame_equal(before, after, check_exact=True)
    # Of each value there are persons of one, two and three releases.
    assert max(held) < waiting + a_chunk + 7 * 3
    assert len(held) > 3 * N / waiting


def test_rows_that_differ_are_sorted_again_once_as_many_have_come(monkeypatch):
    n, a_piece, waiting, added, sorted_rows = 64_000, 100, 500, BucketRows.added, []
    shelf = MemoryShelf([measure.WORD, measure.DEPTH, measure.CODE, measure.CODE])
    for begin in range(0, n, a_piece):
        word = np.arange(begin, begin + a_piece, dtype=np.uint64)
        one = np.ones(a_piece, dtype=measure.CODE)
        shelf.put(0, [word, one.astype(measure.DEPTH), one, one])
    monkeypatch.setattr(measure, "MOST_WAITING", waiting)

    def noted(parts):
        sorted_rows.append(sum(len(each.n) for each in parts))
        return added(parts)

    monkeypatch.setattr(BucketRows, "added", noted)
    (tally,), (other,) = measure._of_bucket([shelf], [2, 2], 0)
    assert tally == other
    assert tally.n_possible == tally.n_one == n
    # Each time twice as many, of two attributes; every 500 rows it would be 64 times.
    assert sum(sorted_rows) < 2 * 4 * n
