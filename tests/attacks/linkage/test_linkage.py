"""Links without an identifier: the study file, files, words and part of the page."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.attacks.linkage import linked
from microleak.attacks.linkage.section import told
from microleak.base.errors import StudyError, TableError
from microleak.records.alike import partner_rows
from microleak.report.parts import Grid
from microleak.study.steps import jobs_of
from tests.attacks.linkage.shown_rows import BINS, LINKS, SUCCESS
from tests.report.made import part_with_figure
from tests.study_file import given

FIRST = pd.DataFrame(
    {"id": [1, 2, 3, 4], "born": [5, 6, 7, 7], "town": [*"ABAB"], "ill": [*"ynyn"]}
)
LATER = pd.DataFrame({"id": [1, 2, 3, 5], "born": [5, 6, 7, 7], "town": [*"AAAB"]})


def of_towns(later=LATER, **more):
    roles = {"qids": ["town"], "stable": ["born"]} | more
    return microleak.linkage(FIRST, later, **roles)


def study(folder, more, options="{person_id: id}", auxiliary=2):
    more = f"focal: 1, auxiliary: {auxiliary}, qids: [age], {more}"
    return given.study(folder, "linkage", more, options)


def test_an_analysis_has_the_identifier_that_says_which_links_are_right(tmp_path):
    more = "stable: [sex], drifting: [race], sensitive: [ill]"
    found = study(tmp_path, more)
    analysis = found.analyses["linkage"]["one"]
    assert analysis.person_id == "id"
    assert found.attributes("people", "2") == ("sex", "race", "age")
    assert found.links == ()
    without = study(tmp_path, more, "{}").analyses["linkage"]["one"]
    assert without.person_id is None


def test_an_analysis_that_cannot_be_is_refused(tmp_path, more, options, said):
    with pytest.raises(StudyError, match=said) as error:
        study(tmp_path, more, options)
    assert "\n" not in str(error.value)


KNOWN = "stable: [sex], targets: {she: {1: {age: 'secret'}, 2: {age: null}}}"


def test_what_is_known_of_a_target_is_read_and_never_told(tmp_path):
    found = study(tmp_path, KNOWN)
    analysis = found.analyses["linkage"]["one"]
    assert analysis.targets == {"she": {"1": {"age": "secret"}, "2": {"age": None}}}
    assert "secret" not in repr(analysis)
    jobs = {job.rule: job for job in jobs_of(found) if "link" in job.rule}
    (file,) = jobs["linked_target"].outputs.values()
    assert file == "confidential/linkage/one-she.csv"
    assert all("secret" not in repr(job.settings) for job in jobs.values())
    none = {"name": "one"}
    shown = none | {"targets": {"she": {"1": ["age"], "2": ["age"]}}}
    assert told([none | {"targets": analysis.targets}, none]) == [shown, none]


def test_a_target_that_cannot_be_is_refused(tmp_path, targets, said):
    with pytest.raises(StudyError, match=said) as error:
        study(tmp_path, f"stable: [sex], targets: {targets}")
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_a_target_of_frames_that_cannot_be_is_refused(known, said):
    with pytest.raises(StudyError, match=said):
        of_towns(targets={"she": known})


def test_a_release_is_not_linked_to_itself(tmp_path):
    with pytest.raises(StudyError, match="release 1 is both focal and auxiliary"):
        study(tmp_path, "stable: [sex]", auxiliary=1)


def test_another_coding_of_an_attribute_is_refused_unless_changes_are_counted():
    recoded = LATER.assign(born=[15, 16, 17, 17])
    said = "born is stable, .* another coding there. Give common"
    with pytest.raises(TableError, match=said + r" values of its codes \(recoded\)"):
        of_towns(recoded)
    recoded = LATER.assign(town=[*"1123"])
    said = "town is drifting, but focal and .* or remove it from drifting"
    with pytest.raises(TableError, match=said):
        of_towns(recoded, drifting=["town"])
    counted = {"person_id": "id", "transition": "identifiers"}
    found = of_towns(recoded, drifting=["town"], **counted)
    assert found.linkage["n_links"].iloc[0] > 0


def test_more_pairs_than_can_be_weighed_are_refused(monkeypatch):
    monkeypatch.setattr(linked, "MOST_WEIGHED", 2)
    with pytest.raises(TableError, match=r"agree in born are . pairs, more than the 2"):
        of_towns(drifting=["town"])


def test_a_counted_transition_links_who_changes_as_others_do():
    """If there are identifiers to count."""
    roles = {"drifting": ["town"], "transition": "identifiers"}
    found = of_towns(person_id="id", **roles)
    row = found.linkage.iloc[0]
    assert (row["overlap"], row["n_true"]) == (0.75, 3)
    assert found.linked_success.loc[0, "posterior_prob_identified"] == 0.75
    with pytest.raises(StudyError, match=r"there is no identifier. Give person_id"):
        of_towns(**roles)


def test_partners_of_sorted_files_are_found_across_parts(tmp_path, monkeypatch):
    rng = np.random.default_rng(4)
    letters = ["", "a", "b", "é", "ab", "a\U0001f600", "aé"]
    every = sorted({x + y + z for x in letters for y in letters for z in letters})
    for size in (1, 7, 50, 500):
        monkeypatch.setattr("microleak.records.alike.ROWS_A_PART", size)
        both = [
            [text for text in every if text and rng.random() < share]
            for share in (0.7, 0.4)
        ]
        for name, texts in zip("ab", both, strict=True):
            pq.write_table(pa.table({"id": texts}), tmp_path / name, row_group_size=9)
        wanted = [both[0].index(t) if t in both[0] else -1 for t in both[1]]
        assert partner_rows(tmp_path / "a", tmp_path / "b", "id").tolist() == wanted
        first, second = (pa.table({"id": ["!", *texts]})[1:] for texts in both)
        assert partner_rows(first, second, "id").tolist() == wanted


def part_of(language, links=LINKS, bins=BINS, success=SUCCESS):
    each = {"linkage": links, "linkage_bins": bins, "linked_success": success}
    tables = {kind: {"linked": table} for kind, table in each.items()}
    return part_with_figure("linkage", tables, ("census", "2018"), language)


def test_the_part_says_how_many_are_linked_and_what_an_identifier_adds():
    told, _ = part_of("en")
    assert told.heading == (
        "Without an identifier, 90.00% of the people in both releases are linked, and "
        "95.62% of the links are right"
    )
    links, overlap, parents, first, _ = told.body[0].texts
    assert links.startswith("Of 200 records, 160 have a link")
    assert overlap == (
        "By estimate, 85.00% of the people of 2018 are in 2019 as well, with the same "
        "values of the attributes that do not change."
    )
    assert parents.startswith("Some facts depend on others (“TOWN” on “SEX”): ")
    assert "for 40.00% with links without an identifier, and for 45.00%" in first
    success, bins = (each for each in told.body if isinstance(each, Grid))
    assert success.rows[0][1:] == ("30.00%", "40.00%", "45.00%")
    assert len(bins.rows) == 10
    in_portuguese, _ = part_of("pt")
    assert in_portuguese.heading.startswith("Sem identificador, 90,00% das pessoas")
    assert "(“TOWN” depende de “SEX”): " in in_portuguese.body[0].texts[2]


OF_IDENTIFIER = ["n_true", "n_right", "precision", "recall", "f1", "share_right"]
OF_IDENTIFIER += ["posterior_prob_identified", "added_by_identifier"]


def without_identifier(**more):
    """The tables of two releases that no identifier joins."""
    links, bins, success = (
        each.assign(**{name: float("nan") for name in OF_IDENTIFIER if name in each})
        for each in (LINKS, BINS, SUCCESS)
    )
    return links.assign(**more), bins, success


def test_without_an_identifier_the_likely_links_are_told_and_what_the_model_says():
    tables = without_identifier(overlap=1.0)
    told, _ = part_of("en", *tables)
    assert told.heading == (
        "Without an identifier, 80.00% of the people are linked to a record of the "
        "other release that is more likely theirs than not"
    )
    success, bins = (each for each in told.body if isinstance(each, Grid))
    assert success.headings[1:] == ("One release", "Linked without an identifier")
    assert success.rows[0][1:] == ("30.00%", "40.00%")
    assert bins.headings == ("Chance from", "Pairs", "Mean chance")
    find, learn, sure = (each.text for each in told.replies)
    assert find.endswith("by links, and for 30.00% with one release.")
    assert learn.endswith("and for 0.50% without any facts.")
    assert "120 of the 160 links have a chance of 99% or more. The estimate" in sure
    in_portuguese, _ = part_of("pt", *tables)
    assert "120 dos 160 vínculos têm chance" in in_portuguese.replies[2].text
    nobody, _ = part_of("pt", *without_identifier(n_links=0, parents=""))
    assert nobody.heading.startswith("Sem identificador, ninguém é vinculado")
    assert not any("dependem" in text for text in nobody.body[0].texts)


def test_links_reply_who_is_found_what_is_learnt_and_how_surely():
    told, _ = part_of("en")
    find, learn, sure = told.replies
    assert [each.question for each in told.replies] == ["find", "learn", "sure"]
    assert find.text == (
        f"{told.heading}. Someone who knows two facts (SEX and TOWN) about a person in "
        "both releases picks the right record for 40.00% of the people by links, for "
        "30.00% with one release, and for 45.00% if an identifier joins the two."
    )
    assert [bar.written for bar in find.picture.bars] == [
        *("0.50%", "30.00%", "40.00%", "45.00%")
    ]
    assert learn.text.startswith("“ILL” is guessed right for 40.00% of the people by")
    assert (
        "It expected 168 people in both releases with the same values of the "
        "attributes that do not change; by the identifier there are 170, whatever "
        "their values."
    ) in sure.text
    rows = [each for each in told.body if isinstance(each, Grid) and each.anchors]
    assert find.sources[0].href == f"#{rows[0].anchors[0]}"


def test_names_of_attributes_may_have_a_sign_of_equality():
    named = {"stable": "A=B|C", "drifting": "D|E=F|G"}
    named["parents"] = "D=A=B|E=F=D|G=A=B&C"
    told, _ = part_of("en", LINKS.assign(**named))
    said = "(“D” on “A=B”, “E=F” on “D”, and “G” on “A=B” and “C”)"
    assert said in told.body[0].texts[2]


def test_agreement_of_different_people_is_doubted():
    excess = {"excess_agreement": 0.271, "excess_attribute": "TOWN"}
    told, _ = part_of("en", LINKS.assign(**excess))
    said = "agree in SEX and BIRTH also agree in “TOWN” more often than the model "
    for text in (told.body[0].texts[2], told.replies[2].text):
        assert f"{said}expects: in 87 pairs of people more, beside 168 " in text
    told, _ = part_of("en", LINKS.assign(**excess | {"excess_attribute": "TOWN|JOB"}))
    assert "also agree in “TOWN” and “JOB”, in all of these at" in told.replies[2].text
    for less in ({"excess_agreement": 0.05}, {"n_links": 0, "n_right": 0}):
        told, _ = part_of("en", LINKS.assign(**(excess | less)))
        assert "more often than" not in told.replies[2].text


def test_an_overlap_at_its_limit_or_of_two_ends_is_doubted(changed, said, n):
    part, _ = part_of("en", LINKS.assign(**changed))
    assert sum(said in text for text in part.body[0].texts) == n


@pytest.mark.parametrize("seed", range(4))
def test_an_attribute_of_one_value_is_inferred_for_certain_and_no_more(seed):
    rng = np.random.default_rng(seed)
    town, ward = rng.integers(0, 30, 2_000), rng.integers(0, 6, 2_000)
    first = pd.DataFrame({"town": town, "ward": ward, "ill": "no"}).astype(str)
    later = first.assign(ward=np.where(rng.random(2_000) < 0.3, "1", first["ward"]))
    roles = {"stable": ["town"], "drifting": ["ward"], "sensitive": ["ill"]}
    roles |= {"targets": {"she": {"auxiliary": {"ward": "1"}}}}
    found = microleak.linkage(first, later, ["town", "ward"], **roles).linked_target
    assert found["posterior_prob"].iloc[-1] == 1.0
