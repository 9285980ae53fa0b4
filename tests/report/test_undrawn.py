"""How figures of the report's folder are called."""

from hypothesis import given
from hypothesis import strategies as st

from microleak.report.drawn import figure_name, file_name, of_attribute

LONGEST_BESIDE = len(".unfinished-.12345678")
"""What a file's name has beside its own while it is written."""


@given(st.text(max_size=400))
def test_a_name_of_any_attribute_fits_in_a_file_system_beside_one_of_an_analysis(name):
    kind = of_attribute("population", name)
    path = figure_name("reconstruction", "a" * 100, kind, language="pt")
    assert len(path.encode()) + LONGEST_BESIDE <= 255
    assert "/" not in path


@given(st.text("aé%/-~", max_size=60), st.text("aé%/-~", max_size=60))
def test_no_two_attributes_have_one_name(first, other):
    several = {each for name in (first, other) for each in (name, file_name(name * 3))}
    assert len({file_name(each) for each in several}) == len(several)


def test_a_question_as_an_attribute_is_told_by_its_beginning():
    question = "Em quantos dias da última semana você comeu frutas? " * 3
    assert file_name(question).startswith("Em quantos dias da última semana você")
    assert len(file_name(question).encode()) == 100
