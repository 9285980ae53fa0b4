"""Study files that a test writes: what is read of them, and what is refused."""

import pytest

from microleak.base.errors import StudyError
from microleak.study.load import load_study

PEOPLE = """\
study: demo
seed: 1
tables:
  people:
    source: delimited
    options: OPTIONS
    releases: {"1": {archive: people.csv}, "2": {archive: later.csv}}
FURTHER
analyses:
  FAMILY:
    - {name: one, table: people, MORE}
"""


def study(folder, family, more, options="{person_id: id}", further=""):
    text = PEOPLE.replace("OPTIONS", options).replace("FURTHER", further)
    return loaded(folder, text.replace("FAMILY", family).replace("MORE", more))


def loaded(folder, text):
    path = folder / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def refused(folder, text, words):
    """What is said of a file that is refused, in one line without what is secret."""
    with pytest.raises(StudyError, match=words) as error:
        loaded(folder, text)
    said = str(error.value)
    assert said.isprintable()
    assert "canary" not in said
    return said
