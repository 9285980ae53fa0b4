"""Analyses of who is at risk, and of who stands out, as the study file gives them."""

import pytest

from microleak.base.errors import StudyError
from microleak.study.load import load_study

STUDY = """\
study: groups
seed: 1
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases: {{"1": {{archive: people.csv}}}}
analyses:
  {family}:
    - {{name: one, table: people, focal: 1, {more}}}
"""


def study(tmp_path, family, more):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY.format(family=family, more=more), encoding="utf-8")
    return load_study(path).analyses[family]["one"]


def test_a_group_may_be_known_or_inferred_too(tmp_path):
    more = "qids: [age, sex], sensitive: [ill], by: [sex, ill, race]"
    analysis = study(tmp_path, "risk_groups", more)
    ((*_, names),) = analysis.needs
    assert names == ("age", "sex", "ill", "race")


@pytest.mark.parametrize(
    ("family", "more", "said"),
    [
        (
            "risk_groups",
            "qids: [age], by: [id]",
            "each would be a group of its own",
        ),
        ("risk_groups", "qids: [age], sensitive: [age], by: [sex]", "is both a QID"),
        ("risk_groups", "qids: [age]", "by"),
        ("risk_groups", "qids: [age], by: []", "by"),
        ("special_uniques", "qids: [age, id]", "id identifies persons or records"),
    ],
)
def test_an_analysis_that_cannot_be_is_refused(tmp_path, family, more, said):
    with pytest.raises(StudyError, match=said):
        study(tmp_path, family, more)


def test_special_uniques_have_as_many_qids_as_a_mask(tmp_path):
    more = f"qids: [{', '.join(f'q{i}' for i in range(17))}]"
    with pytest.raises(StudyError, match="17 QIDs, more than the 16 of which minimal"):
        study(tmp_path, "special_uniques", more)
