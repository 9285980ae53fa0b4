"""People who are alone in their block, by groups that a study file declares."""

from random import Random

import pandas as pd
import pytest

import microleak
from microleak.attacks.risk_groups.publish import PUBLICATION, unique_by_group
from microleak.attacks.risk_groups.section import RiskGroups
from microleak.base.errors import StudyError
from microleak.base.paths import ROOT
from microleak.definitions.vectors import OTHERS
from microleak.report.public import faults_of
from microleak.study.tables import result_tables as specs
from microleak.tables.files import write_table
from microleak.tables.rows import as_table
from tests.examples import seeds
from tests.study.noisy_page import QIDS, naive
from tests.study_file.given import loaded

ANALYSIS = RiskGroups(
    name="who", table="people", focal="2", qids=QIDS, sensitive=(), by=("ill",)
)


@pytest.mark.parametrize("seed", seeds(20))
def test_each_who_is_alone_is_in_one_group_whatever_is_declared(seed, tmp_path):
    random = Random(seed)
    people = [
        {
            "age": random.choice([1, 2, None]),
            "street": random.randrange(6),
            "ill": random.choice(["y", "n", "x", None]),
        }
        for _ in range(random.randint(1, 30))
    ]
    # A missing value is no text, whatever else a column has.
    frame = pd.DataFrame(people).astype("object")
    found = microleak.risk_groups(frame, QIDS, ["ill"]).risk_groups
    path = tmp_path / "measures/risk_groups/who.csv"
    path.parent.mkdir(parents=True)
    spec = specs()["risk_groups"]
    write_table(
        path,
        as_table(
            spec,
            found.assign(analysis="who", table="people", focal="2").to_dict("records"),
        ),
        spec,
    )
    vector = unique_by_group(ANALYSIS, "ill", ("y", "n"), QIDS)
    assert vector.groups == ("y", "n", OTHERS)
    assert vector.count(tmp_path) == naive(people)["unique_by_group"]
    nobody = unique_by_group(ANALYSIS, "ill", ("never",), QIDS)
    assert nobody.count(tmp_path) == [0, *naive(people)["unique"]]


STUDY = """\
study: demo
seed: 3
tables:
  people:
    source: delimited
    releases: {1: {archive: town.csv}}
analyses:
  risk_groups:
    - {name: who, table: people, focal: 1, qids: [age, sex], by: [sex, GROUP]}
report:
  audience: public
  noise: {epsilon: 1/2, key: KEY, groups: {DECLARED: [F, M]}}
"""


def text_of(folder, declared="sex", group="race"):
    (folder / "key").touch(0o600)
    (folder / "key").write_bytes(bytes(range(32)))
    text = STUDY.replace("KEY", str(folder / "key")).replace("GROUP", group)
    return text.replace("DECLARED", declared)


def study_of(folder, declared="sex", group="race"):
    return loaded(folder, text_of(folder, declared, group))


def test_groups_that_are_declared_are_counted(tmp_path):
    (vector,) = PUBLICATION.vectors(study_of(tmp_path))
    assert vector.needs == ("measures/risk_groups/who.csv",)
    assert (vector.by, vector.groups) == ("sex", ("F", "M", OTHERS))


def test_groups_that_cannot_be_counted_are_refused(tmp_path, declared, said):
    study = study_of(tmp_path, declared, "{of: town, sizes: [10]}")
    with pytest.raises(StudyError, match=said):
        [*PUBLICATION.vectors(study)]


def test_the_study_of_the_documentation_counts_groups(tmp_path):
    text_of(tmp_path)  # makes the key
    page = (ROOT / "docs/public.md").read_text("utf-8")
    text = page.partition("```yaml\n")[2].partition("```")[0]
    text = text.replace("secret/school.key", str(tmp_path / "key"))
    found = [*PUBLICATION.vectors(loaded(tmp_path, text))]
    assert [vector.qids for vector in found] == [("age", "sex", "town"), ("age", "sex")]
    assert {vector.groups for vector in found} == {("F", "M", OTHERS)}


def test_groups_of_a_set_that_is_not_shown_are_refused(tmp_path):
    text = text_of(tmp_path).replace("by:", "subsets: {sizes: [1]}, by:")
    with pytest.raises(StudyError, match=r"has sex, but .*report\.noise\.shown"):
        [*PUBLICATION.vectors(loaded(tmp_path, text))]


def test_several_groupings_and_sets_are_in_the_order_of_a_page(tmp_path):
    text = text_of(tmp_path)
    text = text.replace("{sex: [F, M]}", "{race: [A], sex: [F]}, shown: [full, [sex]]")
    rows = [
        {
            **{"table": "people", "focal": "1", "auxiliary": None, "sensitive": None},
            **{"qids": "|".join(vector.qids), "n_qids": len(vector.qids)},
            **{"by": vector.by, "statistic": vector.statistic},
            **{"group": group, "epsilon": "1/2"},
        }
        for vector in PUBLICATION.vectors(loaded(tmp_path, text))
        for group in vector.groups
    ]
    assert len(rows) == 2 * 2 * 2
    assert [*faults_of(pd.DataFrame(rows))] == []
