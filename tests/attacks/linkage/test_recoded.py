"""Attributes that two linked releases code differently, brought to common values."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.attacks.linkage.analysis import Linkage
from microleak.attacks.linkage.measure import linkage_tables
from microleak.attacks.linkage.section import recodings
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from microleak.records.call import people_of
from microleak.study.steps import jobs_of
from tests.attacks.linkage.made import N_VALUES, twins
from tests.attacks.linkage.shown_rows import LINKS
from tests.attacks.linkage.test_linkage import FIRST, LATER, part_of, study
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


@pytest.mark.parametrize(
    "roles",
    [
        ROLES,
        {**ROLES, "transition": "identifiers", "sensitive": ["ill"]},
        {"stable": ["birth", "d0"], "drifting": ["d1"], "qids": ["d0", "d1"]},
    ],
)
def test_recoded_releases_are_attacked_as_releases_in_the_common_coding(roles):
    coded, common = coded_and_common(5)
    more = {**roles, "person_id": "id"}
    found = microleak.linkage(*coded, **more, recoded=RECODED)
    wanted = microleak.linkage(*common, **more)
    assert found.linkage["recoded"].eq("d0").all()
    assert wanted.linkage["recoded"].eq("").all()
    assert found.linkage.drop(columns="recoded").equals(
        wanted.linkage.drop(columns="recoded")
    )
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
    assert found.linkage.drop(columns="recoded").equals(
        wanted.linkage.drop(columns="recoded")
    )
    assert found.linked_success.equals(wanted.linked_success)
    assert found.linked_target.equals(wanted.linked_target)
    assert (found.linked_target["outcome"] == "match").all()


def test_files_in_parts_are_recoded_as_frames_are(tmp_path):
    coded, common = coded_and_common(6)
    arguments = {
        **{"name": "a", "table": "t", "focal": "1", "auxiliary": "2"},
        **ROLES,
    }
    texts = {str(code): town for code, town in NUMBERS.items()}
    recoded = {"d0": {"1": TWO_OF_EACH, "2": texts}}

    def tables(releases, **more):
        analysis = Linkage.model_validate({**arguments, **more})
        update = {"recodings": recodings(analysis, "a")}
        for name, frame in zip("12", releases, strict=True):
            people = people_of("a", frame, analysis.common)
            pq.write_table(people.table, tmp_path / name, row_group_size=100)
        return linkage_tables(
            *(tmp_path / "1", tmp_path / "2", analysis.model_copy(update=update)),
            Resources(2, 8000, tmp_path),
        )

    found, wanted = tables(coded, recoded=recoded), tables(common)
    assert found["linked_success"].equals(wanted["linked_success"])
    assert found["linkage_bins"].equals(wanted["linkage_bins"])


def test_a_release_that_is_not_named_has_the_common_values_already():
    later = LATER.assign(town=[1, 1, 1, 2])
    recoded = {"town": {"auxiliary": {1: "A", 2: "B", 3: "C"}}}
    roles = {"qids": ["town"], "stable": ["born"], "drifting": ["town"]}
    found = microleak.linkage(FIRST, later, **roles, recoded=recoded)
    wanted = microleak.linkage(FIRST, LATER, **roles)
    assert found.linked_success.equals(wanted.linked_success)


def test_a_target_is_known_by_the_codes_of_each_release():
    later = LATER.assign(town=[1, 1, 3, 2])
    recoded = {"town": {"auxiliary": {1: "A", 2: "B", 3: "A"}}}
    known = {"focal": {"town": "A"}, "auxiliary": {"town": 3}}
    nobody = {"auxiliary": {"town": 4}}
    missing = {"auxiliary": {"town": None}}
    roles = {"qids": ["town"], "stable": ["born"], "drifting": ["town"]}
    found = microleak.linkage(
        *(FIRST, later),
        **roles,
        recoded=recoded,
        targets={"she": known, "nobody": nobody, "gone": missing},
    ).linked_target
    known = {"focal": {"town": "A"}, "auxiliary": {"town": "A"}}
    wanted = microleak.linkage(
        *(FIRST, LATER),
        **roles,
        targets={"she": known, "nobody": {"auxiliary": {"town": "C"}}, "gone": missing},
    ).linked_target
    assert found.equals(wanted)


def test_a_file_has_the_common_value_of_each_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "codes.csv"
    file.write_text("from,to\n41,high\n42,high\n", encoding="utf-8")
    more = "stable: [sex], recoded: {sex: {1: codes.csv, 2: {5: high, 06: '7'}}}"

    def settings():
        (job,) = (j for j in jobs_of(study(tmp_path, more)) if j.rule == "linkage")
        return job.settings["analysis"]

    first = settings()
    common = {
        release: each["sex"]["common"] for release, each in first["recodings"].items()
    }
    assert common == {"1": {"41": "high", "42": "high"}, "2": {"5": "high", "06": "7"}}
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
        microleak.linkage(
            *(FIRST, LATER, ["town"]),
            **{"stable": ["born"], "drifting": ["town"]},
            recoded={"town": {"focal": codes}},
        )
    assert str(error.value) == (
        f"linkage: town in focal has {said} in recoded. Add what is lacking."
    )


def test_a_value_that_a_file_lacks_is_refused_with_the_file(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("from,to\nA,a\n", encoding="utf-8")
    with pytest.raises(TableError) as error:
        microleak.linkage(
            *(FIRST, LATER, ["town"]),
            **{"stable": ["born"], "recoded": {"town": {"focal": str(path)}}},
        )
    said = f"1 value without a common value in {path}. Add what is lacking."
    assert said in str(error.value)


def test_common_values_that_nobody_has_in_the_other_release_are_to_be_corrected():
    codes = {"A": "alpha", "B": "beta"}
    with pytest.raises(TableError) as error:
        microleak.linkage(
            *(FIRST, LATER, ["town"]),
            **{"stable": ["town"], "recoded": {"town": {"focal": codes}}},
        )
    assert "Correct its common values (recoded), or remove it" in str(error.value)


def test_codes_may_be_empty_and_integers_of_numpy():
    frames = [
        pd.DataFrame({"sex": ["1", "2", "", "2"], "born": ["1", "2", "3", "4"]}),
        pd.DataFrame({"sex": ["m", "f", "m", "f"], "born": ["1", "2", "3", "4"]}),
    ]
    codes = {np.int64(1): "m", np.int64(2): "f", "": "m"}
    found = microleak.linkage(
        *(*frames, ["sex"]), stable=["born", "sex"], recoded={"sex": {"focal": codes}}
    )
    alike = microleak.linkage(frames[1], frames[1], ["sex"], stable=["born", "sex"])
    assert found.linkage.drop(columns="recoded").equals(
        alike.linkage.drop(columns="recoded")
    )


def test_a_code_as_number_and_as_text_is_refused():
    with pytest.raises(StudyError, match="a mapping has a key twice, as a number"):
        microleak.linkage(
            *(FIRST, LATER, ["town"]),
            **{"stable": ["born"], "recoded": {"town": {"focal": {1: "a", "1": "b"}}}},
        )


def test_the_part_says_what_was_recoded():
    told, _ = part_of("en", LINKS.assign(recoded="TOWN"))
    said = "The two releases have different codes of “TOWN”; values common to both were"
    assert any(text.startswith(said) for text in told.body[0].texts)
    told, _ = part_of("pt", LINKS.assign(recoded="TOWN"))
    said = "As duas divulgações têm códigos diferentes de “TOWN”; compararam-se"
    assert any(text.startswith(said) for text in told.body[0].texts)
