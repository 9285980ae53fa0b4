"""The size of a synthetic release, in the unit of its source."""

import pytest

from microleak.errors import StudyError
from microleak.study.synthesis import TWINS
from microleak.study.twin_size import UNITS, twin_size


def test_every_twin_has_a_unit():
    assert UNITS.keys() == TWINS.keys()


def test_a_size_is_given_in_the_unit_of_the_source():
    assert twin_size("inep_school_census", {"schools": 27}, "here") == 27
    words = r"here: the size of a synthetic inep_school_census is given in schools"
    with pytest.raises(StudyError, match=words):
        twin_size("inep_school_census", {"courses": 27}, "here")


def test_a_source_without_a_twin_has_no_size():
    with pytest.raises(StudyError, match="delimited has no synthetic twin; these have"):
        twin_size("delimited", {"schools": 27}, "here")
