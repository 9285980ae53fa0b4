"""Attributes that two linked releases code differently, brought to common values."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.attacks.linkage.measure import linkage_tables
from microleak.attacks.linkage.section import Linkage
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from microleak.records.call import people_of
from microleak.study.steps import jobs_of
from tests.attacks.linkage.made import N_VALUES, twins
from tests.attacks.linkage.shown_rows import LINKS
from tests.attacks.linkage.test_linkage import LATER, of_towns, part_of, study
from tests.attacks.linkage.test_shares import two_years

COMMON = [f"town {n:02}" for n in range(N_VALUES[0])]
TWO_OF_EACH = {f"{n}{end}": town for n, town in enumerate(COMMON) for end in "xy"}
NUMBERS = {900 - n: town for n, town in enumerate(COMMON)}
ROLES = {"stable": ["birth"], "drifting": ["d0", "d1"], "qids": ["birth", "d0"]}


def coded_and_common(seed):
    """Two releases, with codes of their own and with common values of d0.

    The focal one has two codes of each value, the auxiliary one numbers; in both, some
    values are missing.
    """
    rng = np.random.default_rng(seed)
    releases = twins(1_200, 500, seed)
    towns = [frame["d0"].map(dict(enumerate(COMMON))) for frame in releases]
    coded = [
        releases[0]["d0"].astype(str) + rng.choice([*"xy"], len(releases[0])),
        (900 - releases[1]["d0"]).astype("Int64"),
    ]
    is_missing = [rng.random(len(frame)) < 0.1 for frame in releases]
    return tuple(
        [
            frame.assign(d0=each.mask(missing))
            for frame, each, missing in zip(releases, values, is_missing, strict=True)
        ]
        for values in (coded, towns)
    )


RECODED = {"d0": {"focal": TWO_OF_EACH, "auxiliary": NUMBERS}}


def test_recoded_releases_are_attacked_as_releases_in_the_common_coding(roles):
    coded, common = coded_and_common(5)
    more = {**roles, "person_id": "id"}
    found = microleak.linkage(*coded, **more, recoded=RECODED)
    wanted = microleak.linkage(*common, **more)
    assert found.linkage["recoded"].eq("d0").all()
    assert wanted.linkage["recoded"].eq("").all()
    assert_same_links(found, wanted)
    assert found.linkage_bins.equals(wanted.linkage_bins)
    assert found.linked_success.equals(wanted.linked_success)


def test_parents_of_recoded_values_are_those_of_the_common_ones(more, parents):
    """Of the analysis and of a target, whose school is missing in the second year."""
    common = [each.astype(str) for each in two_years(1_500, 300, 6)]
    for frame in common:
        frame["town"] = (frame["school"].astype(int) // 2).astype(str)
    common[1].iloc[::9, common[1].columns.get_loc("school")] = None
    names = ("district", "school", "town")
    coded = [common[0].copy(), common[1].copy()]
    recoded = {}
    for name in names:
        values = sorted({*common[0][name], *common[1][name].dropna()})
        codes = {f"{name} {value}": value for value in values}
        coded[0][name] = name + " " + coded[0][name]
        recoded[name] = {"focal": codes}
    who = common[1].iloc[0]
    known = {"birth": who["birth"], "sex": who["sex"]}
    targets = {"she": {"focal": known, "auxiliary": {**known, "school": None}}}
    asked = {"qids": ["birth", "sex", "school"], "stable": ["birth", "sex", "district"]}
    asked |= {"person_id": "id", "targets": targets, **more}
    found = microleak.linkage(*coded, **asked, recoded=recoded)
    wanted = microleak.linkage(*common, **asked)
    assert found.linkage.loc[0, "parents"] == parents
    assert_same_links(found, wanted)
    assert found.linked_success.equals(wanted.linked_success)
    assert found.linked_target.equals(wanted.linked_target)
    assert (found.linked_target["outcome"] == "match").all()


def test_files_in_parts_are_recoded_as_frames_are(tmp_path):
    coded, common = coded_and_common(6)
    who = {"name": "a", "table": "t", "focal": "1", "auxiliary": "2"}
    texts = {str(code): town for code, town in NUMBERS.items()}
    recoded = {"d0": {"1": TWO_OF_EACH, "2": texts}}

    def tables(releases, **more):
        analysis = Linkage.model_validate({**who, **ROLES, **more}).checked("a")
        for name, frame in zip("12", releases, strict=True):
            people = people_of("a", frame, analysis.common)
            pq.write_table(people.table, tmp_path / name, row_group_size=100)
        return linkage_tables(
            *(tmp_path / "1", tmp_path / "2", analysis), Resources(2, 8000, tmp_path)
        )

    found, wanted = tables(coded, recoded=recoded), tables(common)
    assert found["linked_success"].equals(wanted["linked_success"])
    assert found["linkage_bins"].equals(wanted["linkage_bins"])


def test_a_release_that_is_not_named_has_the_common_values_already():
    later = LATER.assign(town=[1, 1, 1, 2])
    recoded = {"town": {"auxiliary": {1: "A", 2: "B", 3: "C"}}}
    found = of_towns(later, drifting=["town"], recoded=recoded)
    assert found.linked_success.equals(of_towns(drifting=["town"]).linked_success)


def test_a_target_is_known_by_the_codes_of_each_release():
    later = LATER.assign(town=[1, 1, 3, 2])
    recoded = {"town": {"auxiliary": {1: "A", 2: "B", 3: "A"}}}

    def targets(she, nobody):
        known = {"focal": {"town": "A"}, "auxiliary": {"town": she}}
        others = {"nobody": nobody, "gone": None}
        others = {name: {"auxiliary": {"town": v}} for name, v in others.items()}
        return {"drifting": ["town"], "targets": {"she": known, **others}}

    found = of_towns(later, recoded=recoded, **targets(3, 4)).linked_target
    assert found.equals(of_towns(**targets("A", "C")).linked_target)


def test_a_file_has_the_common_value_of_each_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "codes.csv"
    file.write_text("from,to\n41,high\n42,high\n", encoding="utf-8")
    more = "stable: [sex], recoded: {sex: {1: codes.csv, 2: {5: high, 06: '7'}}}"

    def settings():
        (job,) = (j for j in jobs_of(study(tmp_path, more)) if j.rule == "linkage")
        return job.settings["analysis"]

    first = settings()
    common = [each["sex"]["common"] for each in first["recodings"].values()]
    assert common == [{"41": "high", "42": "high"}, {"5": "high", "06": "7"}]
    assert Linkage.model_validate(first).recodings["1"]["sex"].file == "codes.csv"
    file.write_text("from,to\n41,high\n42,low\n", encoding="utf-8")
    assert settings() != first


def test_what_cannot_be_recoded_is_refused(tmp_path, recoded, said):
    with pytest.raises(StudyError) as error:
        study(tmp_path, f"stable: [sex], recoded: {recoded}")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_faulty_file_is_refused_by_its_line(tmp_path, monkeypatch, lines, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "codes.csv").write_text(lines, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        study(tmp_path, "stable: [sex], recoded: {sex: {1: codes.csv}}")
    assert f"codes.csv: {said}" in str(error.value)
    assert str(error.value).endswith("Correct it.")
    assert "secret" not in str(error.value)


def test_a_value_without_a_common_one_is_refused_and_not_shown(codes, said):
    with pytest.raises(TableError) as error:
        of_towns(drifting=["town"], recoded={"town": {"focal": codes}})
    assert str(error.value) == (
        f"linkage: town in focal has {said} in recoded. Add what is lacking."
    )


def test_a_value_that_a_file_lacks_is_refused_with_the_file(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("from,to\nA,a\n", encoding="utf-8")
    with pytest.raises(TableError) as error:
        of_towns(recoded={"town": {"focal": str(path)}})
    said = f"1 value without a common value in {path}. Add what is lacking."
    assert said in str(error.value)


def test_common_values_that_nobody_has_in_the_other_release_are_to_be_corrected():
    recoded = {"town": {"focal": {"A": "alpha", "B": "beta"}}}
    said = r"Correct its common values \(recoded\), or remove it"
    with pytest.raises(TableError, match=said):
        of_towns(stable=["town"], recoded=recoded)


def test_codes_may_be_empty_and_integers_of_numpy():
    sexes = ["1", "2", "", "2"], ["m", "f", "m", "f"]
    one, other = (pd.DataFrame({"sex": each, "born": [*"1234"]}) for each in sexes)
    roles = {"qids": ["sex"], "stable": ["born", "sex"]}
    codes = {np.int64(1): "m", np.int64(2): "f", "": "m"}
    found = microleak.linkage(one, other, **roles, recoded={"sex": {"focal": codes}})
    assert_same_links(found, microleak.linkage(other, other, **roles))


def assert_same_links(found, wanted):
    """But for the names of what was recoded."""
    one, other = (each.linkage.drop(columns="recoded") for each in (found, wanted))
    assert one.equals(other)


def test_a_code_as_number_and_as_text_is_refused():
    with pytest.raises(StudyError, match="a mapping has a key twice, as a number"):
        of_towns(recoded={"town": {"focal": {1: "a", "1": "b"}}})


def test_the_part_says_what_was_recoded(language, said):
    told, _ = part_of(language, LINKS.assign(recoded="TOWN"))
    assert any(text.startswith(said) for text in told.body[0].texts)
