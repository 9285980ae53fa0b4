import pickle

import pytest

from microleak.base.errors import ColumnsError, StudyError, UnknownNameError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StudyError("{said} has no {name}.", said="a.yaml", name="b"), "a.yaml has"),
        (UnknownNameError("{file}: no {name}", file="{x}", name="b"), "{x}: no b"),
        (StudyError("write noise: {epsilon: 1}"), "write noise: {epsilon: 1}"),
        (ColumnsError("no {a}", ["a"]), "no {a}"),
    ],
)
def test_an_error_has_values_in_its_sentence_where_they_are_given(error, said):
    assert str(error).startswith(said)


def test_an_error_is_the_same_in_another_process():
    error = StudyError("{a} is wrong.", a="{b}")
    assert str(pickle.loads(pickle.dumps(error))) == "{b} is wrong."
