"""Epsilons of publications on the same persons: told, added up, held against others."""

import json
from fractions import Fraction

import pytest

from microleak.base.errors import StudyError, VerificationError
from microleak.definitions.laplace import written
from microleak.study.account import check_account, check_spent, reports_of_same_data
from microleak.study.private_counts import check_replaced
from microleak.study.public_report import PublicReport
from microleak.study.tables import result_tables as specs
from microleak.tables.files import write_table
from tests.study.noisy_page import noisy_tables, study_of


def check(folder):
    """Hold a report against those beside it, as the run that writes it does."""
    check_account(PublicReport(folder), folder)


def test_a_run_publishes_it_beside_one_that_names_it_and_no_other(tmp_path):
    check(study_of(tmp_path / "a", "a"))
    check(study_of(tmp_path / "b", "b", {"a": "1/2"}))
    check(tmp_path / "a")  # again, beside the later one
    with pytest.raises(VerificationError) as error:
        check(study_of(tmp_path / "c", "c", {"a": "1/4", "b": "1/2"}))
    assert "does not go with the public report of a, which is of the same" in str(
        error.value
    )
    said = "names a with an epsilon of 0.25 under report.noise.spent, but "
    assert said in str(error.value)
    assert "a/report has one of 0.5: correct it in the study of" in str(error.value)


def test_a_report_that_names_none_does_not_go_with_another_one(tmp_path):
    study_of(tmp_path / "a", "a")
    with pytest.raises(VerificationError, match=r"neither of .* names the epsilon of"):
        check(study_of(tmp_path / "c", "c"))


@pytest.mark.parametrize("is_first", [True, False])
def test_both_epsilons_that_differ_are_said(tmp_path, named, epsilon, said, is_first):
    first = study_of(tmp_path / "a", "a", epsilon=epsilon)
    second = study_of(tmp_path / "b", "b", {"a": named})
    with pytest.raises(VerificationError) as error:
        check(first if is_first else second)
    told = str(error.value)
    assert f"{second}/report names {said} {first}/report has one of" in told
    assert (
        f"has one of {written(Fraction(epsilon))}: correct it in the study of" in told
    )
    assert "neither of" not in told


def test_an_epsilon_below_that_of_the_page_beside_is_refused(tmp_path):
    study_of(tmp_path / "va", "va", epsilon="0.739519")
    for name, epsilon in {"va": "0.739519", "vb": "1/2"}.items():
        check_spent({name: Fraction(epsilon)}, tmp_path)
    with pytest.raises(StudyError) as error:
        check_spent({"va": Fraction(1, 2)}, tmp_path)
    said = "names va with an epsilon of 0.5, but "
    assert said in str(error.value)
    assert "va/report has one of 0.739519. Write 0.739519." in str(error.value)


def test_two_publications_of_one_name_are_two(tmp_path):
    first = study_of(tmp_path / "a", "town")
    again = study_of(tmp_path / "b", "town")
    (again / "report/.snakemake_timestamp").touch()
    check(first)  # one, given twice
    study_of(tmp_path / "c", "town", {"town-1": "1/2"})
    with pytest.raises(VerificationError, match="are two publications of one name"):
        check(tmp_path / "c")


def test_a_run_replaces_no_page_by_one_with_other_counts(tmp_path):
    folder = study_of(tmp_path / "town")
    spec = specs()["noisy_counts"]
    new = {}
    for name, epsilon in {"same": "1/2", "other": "1/3"}.items():
        counts = noisy_tables(tmp_path / name, epsilon=epsilon)["noisy_counts/town"]
        new[name] = tmp_path / name / "published"
        (new[name] / "noisy_counts").mkdir(parents=True)
        write_table(new[name] / "noisy_counts/town.csv", counts, spec)
    (tmp_path / "none").mkdir()
    check_replaced(folder, new["same"])
    for published in (new["other"], tmp_path / "none"):
        with pytest.raises(StudyError) as error:
            check_replaced(folder, published)
        assert (
            "already has a public report with other counts. A second one would be"
            in str(error.value)
        )
        assert "name town with its epsilon under report.noise.spent" in str(error.value)
    (folder / "report").rename(tmp_path / "never given away")
    check_replaced(folder, new["other"])


def read_study(
    results, name, audience="public", archive="a.csv", sha256="00ff", table="people"
):
    files = {
        "report/data/metadata.json": {"audience": audience},
        f"tables/{table}/1.json": {"archive": archive, "sha256": sha256},
    }
    for path, content in files.items():
        file = results / name / path
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content))
    (results / name / "report/index.html").touch()
    return results / name


def names_beside(mine):
    return [each.name for each in reports_of_same_data(mine)]


def test_a_public_report_of_the_same_archive_is_found(tmp_path, other, found):
    mine = read_study(tmp_path, "mine")
    read_study(tmp_path, "other", **other)
    assert names_beside(mine) == found


def test_folders_called_as_their_releases_are_no_archive_of_one_name(tmp_path):
    mine = read_study(tmp_path, "mine", archive="1")
    read_study(tmp_path, "other", archive="1", sha256="ff00", table="town")
    assert names_beside(mine) == []


def test_what_is_damaged_or_no_study_is_passed_over(tmp_path):
    mine = read_study(tmp_path, "mine")
    (tmp_path / "a file").touch()
    damaged = read_study(tmp_path, "damaged")
    (damaged / "tables/people/1.json").write_text("{")
    (read_study(tmp_path, "cut") / "report/data/metadata.json").write_text("[")
    assert names_beside(mine) == []
