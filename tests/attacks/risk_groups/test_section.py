"""Analyses of who is at risk, and of who stands out, as the study file gives them."""

import json

import pytest

from microleak.attacks.risk_groups.section import RiskGroups, read_classes
from microleak.base.errors import StudyError
from tests.study_file import given


def study(folder, family, more):
    found = given.study(folder, family, f"focal: 1, {more}")
    return found.analyses[family]["one"]


def test_a_group_may_be_known_or_inferred_too(tmp_path):
    more = "qids: [age, sex], sensitive: [ill], by: [sex, ill, race]"
    analysis = study(tmp_path, "risk_groups", more)
    ((*_, names),) = analysis.needs
    assert names == ("age", "sex", "ill", "race")


def test_an_analysis_that_cannot_be_is_refused(tmp_path, family, more, said):
    with pytest.raises(StudyError, match=said):
        study(tmp_path, family, more)


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


def test_a_faulty_file_of_classes_is_refused_by_its_line(tmp_path, text, said):
    path = tmp_path / "classes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        read_classes(path, "one")
    assert said in str(error.value)
    assert "classes.csv" in str(error.value)
    assert "secret" not in str(error.value)
