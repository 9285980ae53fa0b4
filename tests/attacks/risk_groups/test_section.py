"""Analyses of who is at risk, and of who stands out, as the study file gives them."""

import json

import pytest

from microleak.attacks.risk_groups.section import RiskGroups, read_classes
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
        ("risk_groups", "qids: [age], by: [{of: id, sizes: [2]}]", "of its own"),
        (
            "risk_groups",
            "qids: [age], by: [sex, {of: town}]",
            "the 2nd entry of by must give exactly one of classes and sizes",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, sizes: [9, 10], classes: a.csv}]",
            "the 1st entry of by must give exactly one of classes and sizes",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, sizes: [10, 9]}]",
            "the 1st entry of by has sizes that do not ascend",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, sizes: []}]",
            "the 1st entry of by: sizes is a list, empty",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, size: [9]}]",
            "has no key 'size'; did you mean 'sizes'",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, sizes: [9], class_of: {A: x}}]",
            "has no key 'class_of'",
        ),
        (
            "risk_groups",
            "qids: [age], by: [town, {of: town, sizes: [9]}]",
            "by has two entries called town. Give one of them another name",
        ),
        (
            "risk_groups",
            "qids: [age], by: [{of: town, classes: none.csv}]",
            "classes: there is no file none.csv",
        ),
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


def test_groupings_of_a_study_survive_the_way_to_their_job(tmp_path):
    classes = tmp_path / "classes.csv"
    classes.write_text("value,class\nA,north\n,unknown\n", encoding="utf-8")
    small, north = "{of: town, sizes: [10, 100]}", f"{{of: town, classes: {classes}"
    more = f"qids: [age], by: [sex, {small}, {north}, name: part}}]"
    analysis = study(tmp_path, "risk_groups", more)
    by_sex, by_size, by_part = analysis.by
    assert (by_sex, by_size.called, by_size.sizes) == ("sex", "town", (10, 100))
    assert by_part.called == "part"
    assert by_part.class_of == {"A": "north", "": "unknown"}
    assert [*analysis.needs] == [("people", "1", ("age", "sex", "town"))]
    settings = json.loads(json.dumps(analysis.model_dump()))
    assert RiskGroups.model_validate(settings) == analysis


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("value,class\nsecret,x\nsecret,y\n", "line 3 has the name of an earlier one"),
        ("value,class\nsecret,\n", "line 2, cell 2: a class of up to 40 characters"),
        ("class,value\nx,secret\n", "line 1 must be value,class"),
        ("value,class,more\nsecret,x,y\n", "line 1 must be value,class"),
        ("value,class\nsecret\n", "line 2 has 1 cells, 2 expected"),
        ("", "it is empty"),
    ],
)
def test_a_faulty_file_of_classes_is_refused_by_its_line(tmp_path, text, said):
    path = tmp_path / "classes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        read_classes(path, "one")
    assert said in str(error.value)
    assert "classes.csv" in str(error.value)
    assert "secret" not in str(error.value)
