"""Study files with anything in any place: a study, or one sentence, and no secret."""

from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from unittest.mock import patch

import yaml
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import StudyError
from microleak.study import load
from tests.examples import examples

STUDY = yaml.safe_load(Path(__file__).with_name("every_key.yaml").read_text("utf-8"))

words = st.one_of(
    st.sampled_from(["all", "few", "2014", "people", "age", "ID", "name", "known"]),
    st.text(max_size=4),
    st.text(st.characters(categories=["Cs", "Cc"]), min_size=1, max_size=2),
)
anything = st.recursive(
    st.one_of(st.none(), st.integers(-2, 1 << 40), words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)
    ),
    max_leaves=6,
)


def places(content, path=()):
    yield path
    if isinstance(content, (dict, list)):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield from places(content[key], (*path, key))


PLACES = [path for path in places(STUDY) if path]


@st.composite
def changed(draw):
    study = deepcopy(STUDY)
    for path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2)):
        inner = study
        try:
            for step in path[:-1]:
                inner = inner[step]
            old = inner[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # what it was in has been changed
        if isinstance(inner, str):
            continue  # likewise, into a text
        how = draw(st.sampled_from(["change", "remove", "rename", "repeat"]))
        if how == "change":
            inner[path[-1]] = draw(anything)
        elif how == "remove" or not isinstance(inner, dict):
            del inner[path[-1]]
        else:
            inner[draw(words)] = inner.pop(path[-1]) if how == "rename" else old
    return study


def loaded(content):
    with patch.object(load, "read_yaml", return_value=content):
        return load.load_study(Path("demo.yaml"))


def test_the_study_that_is_changed_is_one():
    assert len(loaded(STUDY).analyses["collective"]) == 4


@examples(150)
@given(changed())
def test_a_study_file_gives_a_study_or_one_sentence_without_secrets(content):
    try:
        study = loaded(content)
    except StudyError as error:
        said = str(error)
        assert said.isprintable(), said
        assert "canary" not in said
    else:
        assert study.name


def regrouped(old):
    """Slips in how entries are grouped: a dash forgotten, or one too many."""
    if isinstance(old, list):
        return [old[:1][0], {"somebody": old[:1][0]}]
    return [[old], *list(old.values())[:1], {"somebody": old}]


GROUPED = [
    (path, new)
    for path in PLACES
    for old in [reduce(getitem, path, STUDY)]
    if isinstance(old, (list, dict))
    for new in regrouped(old)
]


def test_no_slip_in_how_entries_are_grouped_shows_a_secret():
    n_refused = 0
    for path, new in GROUPED:
        study = deepcopy(STUDY)
        reduce(getitem, path[:-1], study)[path[-1]] = new
        try:
            loaded(study)
        except StudyError as error:
            n_refused += 1
            assert "canary" not in str(error), path
    assert n_refused > len(GROUPED) / 2
