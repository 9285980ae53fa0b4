"""Numbers and sizes as people write them, and how much memory there is."""

import gc
from fractions import Fraction

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base import machine
from microleak.base.decimals import exact_number, with_points
from microleak.base.errors import MicroleakError, TableError
from microleak.base.machine import (
    megabytes_of,
    memory_here,
    usual_mb,
    without_collection,
)
from microleak.protection.methods import rounded_text


def test_a_size_is_rounded_down_to_whole_megabytes(text, n_mb):
    assert megabytes_of(text, "--max-memory") == n_mb


@pytest.mark.parametrize(
    "text", ["4 apples", "", "4", "4G", "4 GB", "-4GB", "1e3MB", "0.9MB", "0GB", "٤GB"]
)
def test_what_is_no_size_is_refused_with_what_is(text):
    with pytest.raises(MicroleakError) as error:
        megabytes_of(text, "--max-memory")
    assert str(error.value) == (
        f"--max-memory is {text!r}; it must be a number and one of MB, GB, MiB, GiB, "
        "without a space and from 1MB up, as 4GiB."
    )


@pytest.mark.parametrize(("here", "n_mb"), [(5 * 10**9, 4000), (10**12, 8000)])
def test_a_job_takes_four_fifths_of_a_machine_and_no_more_than_usual(
    monkeypatch, here, n_mb
):
    monkeypatch.setattr(machine, "memory_here", lambda: here)
    assert usual_mb(8000) == n_mb


def grouped(folder, lines, limits):
    """Make files of control groups: those of this process, and limits by path."""
    own = folder / "own"
    own.write_text(lines, encoding="utf-8")
    for path, limit in limits.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{limit}\n", encoding="utf-8")
    return own, folder


@pytest.mark.parametrize(
    ("lines", "limits", "found"),
    [
        ("0::/a/b\n", {"a/b/memory.max": 7, "a/memory.max": 5}, 5),
        ("0::/a\n", {"a/memory.max": "max", "memory.max": 9}, 9),
        ("0::/hidden\n", {"memory.max": 4}, 4),
        (
            "4:cpu:/a\n3:memory:/a\n0::/\n",
            {"memory/a/memory.limit_in_bytes": 3, "cpu/a/memory.limit_in_bytes": 1},
            3,
        ),
    ],
    ids=["within a smaller group", "no limit of its own", "container", "version 1"],
)
def test_the_smallest_limit_of_the_control_groups_counts(
    tmp_path, monkeypatch, lines, limits, found
):
    own, root = grouped(tmp_path, lines, limits)
    monkeypatch.setattr(machine, "OWN_CGROUPS", own)
    monkeypatch.setattr(machine, "CGROUPS", root)
    assert memory_here() == found


def test_without_control_groups_the_memory_is_the_machine_s(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "OWN_CGROUPS", tmp_path / "none")
    assert memory_here() == psutil.virtual_memory().total


digits = st.text("0123456789", min_size=1)


@given(st.sampled_from(["", "-"]), digits, st.none() | digits)
def test_a_number_is_read_exactly_or_not_at_all(sign, whole, part):
    text = f"{sign}{whole}" + ("" if part is None else f".{part}")
    is_short = len(whole) <= 15 and len(part or "0") <= 20
    assert exact_number(text) == (Fraction(text) if is_short else None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", ".5", "5.", "+5", "1_000", "1e3", "1/2", "12,5", " 5", "5\n"),
        *("\uff15", "\u0665", "nan", "inf", "0x1", "- 5", "1 000"),
    ],
)
def test_other_texts_are_no_numbers(text):
    assert exact_number(text) is None
    with pytest.raises(TableError, match="that are no numbers as 12"):
        rounded_text(text, 10, "income")


def test_signs_that_may_stand_between_thousands_are_refused(texts):
    with pytest.raises(TableError, match="w: its commas or points may stand before"):
        with_points(texts, "w:")


def test_signs_that_cannot_stand_between_thousands_are_points(texts, found):
    assert with_points(texts, "w:") == found


@pytest.mark.parametrize("is_on", [True, False])
def test_collection_is_as_it_was_after_work_without_it(is_on):
    (gc.enable if is_on else gc.disable)()
    try:
        with pytest.raises(ValueError, match="a fault"), without_collection():
            assert not gc.isenabled()
            raise ValueError("a fault")
        assert gc.isenabled() == is_on
    finally:
        gc.enable()
