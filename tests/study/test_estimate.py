"""What profiles will cost: said of large analyses, kept quiet of small ones."""

import pytest

from microleak.base.paths import CONFIG, DEFAULT_STUDY
from microleak.records.subsets import profile_cost
from microleak.run.rounds import profile_estimates
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases:
      1: {archive: people.csv}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [QIDS], sensitive: [ill]}
"""


def estimated(study):
    return list(profile_estimates(study, outputs_of(study)))


def said(folder, n_qids, release="archive: people.csv"):
    """What is said of a study whose one analysis takes all subsets of so many QIDs."""
    path = folder / "study.yaml"
    qids = ", ".join(f"q{i}" for i in range(n_qids))
    text = STUDY.replace("[QIDS]", f"[{qids}]").replace("archive: people.csv", release)
    path.write_text(text, encoding="utf-8")
    return estimated(load_study(path))


@pytest.mark.parametrize(
    ("n_records", "mb", "rel"),
    [(48_176_423, 86, 0.006), (4_817_642, 22.9, 0.1), (49_800, 1.46, 0.1)],
)
def test_the_profiles_of_so_many_records_come_near_those_measured(n_records, mb, rel):
    measured = profile_cost(n_records, 2_047)
    assert measured.n_bytes / 10**6 == pytest.approx(mb, rel=rel)
    assert round(profile_cost(48_176_423, 2_047).seconds) == 104


def test_time_grows_as_records_and_subsets_do():
    assert profile_cost(3_000, 10).seconds == pytest.approx(
        3 * profile_cost(1_000, 10).seconds
    )
    assert profile_cost(1_000, 30).seconds == pytest.approx(
        3 * profile_cost(1_000, 10).seconds
    )


def test_a_cost_is_said_in_units_that_fit(n_records, n_subsets, words):
    assert str(profile_cost(n_records, n_subsets)) == words


@pytest.mark.parametrize(
    ("n_rows", "words"),
    [
        (", n_rows: 48176423", "2 min and 86 MB for about 48,176,423 records"),
        ("", "2 s and 9 MB for a million records"),
    ],
    ids=["known rows", "unknown rows"],
)
def test_a_large_release_is_estimated_by_its_rows_or_a_million(tmp_path, n_rows, words):
    assert said(tmp_path, 11, f"archive: people.csv{n_rows}") == [
        f"analysis 'one': the profiles of 2,047 subsets take about {words}, on 2 cores"
    ]


def test_the_twin_of_a_country_is_estimated_by_its_schools(tmp_path):
    file = CONFIG / "papers/nunes-2021.yaml"
    text = file.read_text("utf-8").replace("schools: 1837}", "schools: 183706}")
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    lines = estimated(load_study(path))
    assert [line for line in lines if "for about 48,130,972 records" in line]


@pytest.mark.parametrize("release", ["archive: a.csv, n_rows: 50000", "archive: a.csv"])
def test_nothing_is_said_of_what_takes_less_than_a_minute(tmp_path, release):
    assert said(tmp_path, 2, release) == []


def test_nothing_is_said_of_the_default_study():
    assert estimated(load_study(DEFAULT_STUDY)) == []


def test_nothing_is_said_of_profiles_that_are_not_made(tmp_path):
    assert said(tmp_path, 11)
    assert list(profile_estimates(load_study(tmp_path / "study.yaml"), set())) == []


def test_a_panel_costs_its_attributes_in_every_prefix(tmp_path):
    panel = "auxiliary: [2, 3], qids:"
    text = STUDY.replace("qids:", panel).replace(
        "      1: {archive: people.csv}\n",
        "      1: {archive: a.csv, n_rows: 9000000}\n"
        "      2: {archive: b.csv}\n      3: {archive: c.csv}\n",
    )
    text = text.replace(
        "source: delimited", "source: delimited\n    options: {person_id: ID}"
    )
    qids = ", ".join(f"q{i}" for i in range(11))
    path = tmp_path / "study.yaml"
    path.write_text(text.replace("[QIDS]", f"[{qids}]"), encoding="utf-8")
    (line,) = estimated(load_study(path))
    assert "the profiles of 12,282 subsets" in line  # 2,047 of 1, 2 and 3 releases
