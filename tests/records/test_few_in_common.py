"""Releases that hardly have a value in common: that is told, in studies too."""

import pandas as pd
import pyarrow as pa
import pytest

import microleak
from microleak.base.machine import Resources
from microleak.base.progress import told_by
from microleak.records.alike import coded_alike
from microleak.records.memory import Memory
from microleak.sources.steps.join import ReleaseLink, join
from tests.compared import compared, files, person_file, profiled

CODES = [f"{n:03}" for n in range(1, 22)]
"""Of which 21 written without zeros have none in common."""
BARE = [str(int(code)) for code in CODES]
OTHERS = [f"no{code}" for code in CODES]


@pytest.fixture
def told():
    said = []
    with told_by(said.append):
        yield said


@pytest.mark.parametrize(("n_alike", "is_told"), [(0, True), (2, True), (3, False)])
def test_a_qid_of_a_sample_is(told, tmp_path, n_alike, is_told):
    own = [*CODES[:n_alike], *OTHERS[n_alike:]]
    both = files(tmp_path, [(c, "a") for c in CODES], [(c, "a") for c in own], "xy")
    profiled(tmp_path, both, compared("xy"))
    assert told == is_told * [
        "analysis 'c': x of survey 2 and of people 1 have hardly any values in "
        "common, so hardly anybody is found in both. Check that both are written "
        "alike: as text, 025 is not 25."
    ]


@pytest.mark.parametrize(("n_alike", "is_told"), [(1, True), (2, True), (3, False)])
def test_an_identifier_of_a_panel_is(told, tmp_path, n_alike, is_told):
    own = sorted([*CODES[:n_alike], *BARE[n_alike:]])
    focal, auxiliary = (
        person_file(tmp_path / f"{name}.parquet", ["id", "y"], [(c, "a") for c in ids])
        for name, ids in (("focal", CODES), ("later", own))
    )
    join(
        ReleaseLink(focal, auxiliary, "id", "2"), tmp_path / "panel", tmp_path / "json"
    )
    few = "Hardly anybody in focal is in 2. Check that id is written alike in both"
    zeros = "18 persons or more are not found in 2 because one release has leading"
    assert [said.startswith(few if is_told else zeros) for said in told] == [True]


@pytest.mark.parametrize("is_bare_first", [True, False])
def test_persons_who_differ_in_leading_zeros_alone_are(
    told, tmp_path, is_bare_first, monkeypatch
):
    """Also where others are written alike, with zeros or without."""
    alike = ["0007", *map(str, range(100, 200))]
    both = [[*CODES, *alike], [*BARE, *alike]][:: 1 - 2 * is_bare_first]
    focal, auxiliary = (
        person_file(
            tmp_path / f"{name}.parquet",
            ["id", "y"],
            [(c, "a") for c in sorted(ids)],
        )
        for name, ids in zip(("focal", "later"), both, strict=True)
    )
    link = ReleaseLink(focal, auxiliary, "id", "2")
    join(link, tmp_path / "panel", tmp_path / "json")
    monkeypatch.setattr("microleak.sources.steps.join.LOOKED_AT", 5)
    join(link, tmp_path / "panel", tmp_path / "json")
    said = "{} persons or more are not found in 2 because one release has leading zeros"
    assert [
        each.startswith(said.format(n)) for each, n in zip(told, [21, 5], strict=True)
    ]
    assert all("025 is not 25" in each for each in told)


@pytest.mark.parametrize(("n_alike", "is_told"), [(0, True), (2, True), (3, False)])
def test_an_attribute_of_releases_is(told, tmp_path, n_alike, is_told):
    own = [*CODES[:n_alike], *OTHERS[n_alike:]]
    releases = {
        name: (pa.table({"x": codes, "y": ["a"] * 21}), ["x", "y"])
        for name, codes in (("2019", CODES), ("2020", own))
    }
    coded_alike(releases, Memory(Resources(1, 8000, tmp_path), "here"))
    said = "here: 2019 and 2020, in x, have hardly any values in common"
    assert [each.startswith(said) for each in told] == [True] * is_told


@pytest.mark.parametrize("is_bare_first", [True, False])
def test_values_that_differ_in_leading_zeros_alone_are(told, tmp_path, is_bare_first):
    every = [*map(str, range(100, 200))]
    both = [[*CODES[:9], "000", *every], [*BARE[:9], "0", *every]]
    releases = {
        name: (pa.table({"x": codes, "y": ["a"] * 110}), ["x", "y"])
        for name, codes in zip(
            ("2019", "2020"), both[:: 1 - 2 * is_bare_first], strict=True
        )
    }
    coded_alike(releases, Memory(Resources(1, 8000, tmp_path), "here"))
    said = "here: 2019 and 2020, in x, have 10 values that differ in leading zeros"
    assert [each.startswith(said) for each in told] == [True]


def test_frames_with_leading_zeros_on_one_side_are(told):
    first = pd.DataFrame({"x": [*CODES, *map(str, range(100, 200))]})
    with pytest.warns(RuntimeWarning, match="21 values that differ in leading zeros"):
        microleak.membership(first, first.astype(int), ["x"])


@pytest.mark.parametrize("both", [(["025", "25"], ["25"]), (["025"], ["025", "7"])])
def test_values_that_have_their_equal_are_not(told, tmp_path, both):
    releases = {
        name: (pa.table({"x": codes}), ["x"])
        for name, codes in zip(("2019", "2020"), both, strict=True)
    }
    coded_alike(releases, Memory(Resources(1, 8000, tmp_path), "here"))
    assert told == []


def test_a_small_release_within_a_large_one_is_not(told, tmp_path):
    both = files(tmp_path, [(c,) for c in CODES], [("001",)], ["x"])
    profiled(tmp_path, both, compared("x"))
    large, small = pa.table({"x": CODES}), pa.table({"x": ["001"]})
    releases = {"large": (large, ["x"]), "small": (small, ["x"])}
    coded_alike(releases, Memory(Resources(1, 8000, tmp_path), "here"))
    assert told == []
