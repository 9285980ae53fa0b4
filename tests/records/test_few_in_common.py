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


def ordered(both, is_first):
    return both if is_first else both[::-1]


def identifiers(folder, both):
    paths = [folder / "focal.parquet", folder / "later.parquet"]
    for path, ids in zip(paths, both, strict=True):
        person_file(path, ["id", "y"], [(code, "a") for code in sorted(ids)])
    return ReleaseLink(*paths, "id", "2")


def alike(folder, *both, names=("2019", "2020")):
    each = [(pa.table({"x": codes}), ["x"]) for codes in both]
    releases = dict(zip(names, each, strict=True))
    coded_alike(releases, Memory(Resources(1, 8000, folder), "here"))


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
    link = identifiers(tmp_path, [CODES, [*CODES[:n_alike], *BARE[n_alike:]]])
    join(link, tmp_path / "panel", tmp_path / "json")
    few = "Hardly anybody in focal is in 2. Check that id is written alike in both"
    zeros = "18 persons or more are not found in 2 because one release has leading"
    (said,) = told
    assert said.startswith(few if is_told else zeros)


@pytest.mark.parametrize("is_bare_first", [True, False])
def test_persons_who_differ_in_leading_zeros_alone_are(
    told, tmp_path, is_bare_first, monkeypatch
):
    """Also where others are written alike, with zeros or without."""
    both = [[*each, "0007", *map(str, range(100, 200))] for each in (BARE, CODES)]
    link = identifiers(tmp_path, ordered(both, is_bare_first))
    join(link, tmp_path / "panel", tmp_path / "json")
    monkeypatch.setattr("microleak.sources.steps.join.LOOKED_AT", 5)
    join(link, tmp_path / "panel", tmp_path / "json")
    said = "{} persons or more are not found in 2 because one release has leading zeros"
    for each, n in zip(told, [21, 4], strict=True):
        assert each.startswith(said.format(n))
        assert "025 is not 25" in each


@pytest.mark.parametrize(("n_alike", "is_told"), [(0, True), (2, True), (3, False)])
def test_an_attribute_of_releases_is(told, tmp_path, n_alike, is_told):
    alike(tmp_path, CODES, [*CODES[:n_alike], *OTHERS[n_alike:]])
    said = "here: 2019 and 2020, in x, have hardly any values in common"
    assert [each.startswith(said) for each in told] == [True] * is_told


@pytest.mark.parametrize("is_bare_first", [True, False])
def test_values_that_differ_in_leading_zeros_alone_are(told, tmp_path, is_bare_first):
    every = [*map(str, range(100, 200))]
    both = [[*BARE[:9], "0", *every], [*CODES[:9], "000", *every]]
    alike(tmp_path, *ordered(both, is_bare_first))
    said = "here: 2019 and 2020, in x, have 10 values that differ in leading zeros"
    assert [each.startswith(said) for each in told] == [True]


def test_frames_with_leading_zeros_on_one_side_are(told):
    first = pd.DataFrame({"x": [*CODES, *map(str, range(100, 200))]})
    with pytest.warns(RuntimeWarning, match="21 values that differ in leading zeros"):
        microleak.membership(first, first.astype(int), ["x"])


@pytest.mark.parametrize("both", [(["025", "25"], ["25"]), (["025"], ["025", "7"])])
def test_values_that_have_their_equal_are_not(told, tmp_path, both):
    alike(tmp_path, *both)
    assert told == []


def test_a_small_release_within_a_large_one_is_not(told, tmp_path):
    both = files(tmp_path, [(c,) for c in CODES], [("001",)], ["x"])
    profiled(tmp_path, both, compared("x"))
    alike(tmp_path, CODES, ["001"], names=("large", "small"))
    assert told == []
