import csv
import re

import numpy as np
import pytest

from microleak.base.paths import CONFIG
from papers.twins.outpatient.release import write_outpatient
from papers.twins.outpatient.units import outpatient
from tests.papers.twins.outpatient_files import records_of, valid

RECORDS = 60_000
NAMES = [
    *["PA_CODUNI", "PA_GESTAO", "PA_UFMUN", "PA_MVM", "PA_CMP", "PA_PROC_ID"],
    *["PA_DOCORIG", "PA_IDADE", "PA_SEXO", "PA_RACACOR", "PA_MUNPCN"],
    *["PA_UFDIF", "PA_MNDIF", "PA_ETNIA"],
]


def released(tmp_path_factory, state, year, records=RECORDS):
    folder = tmp_path_factory.mktemp(state) / "release"
    write_outpatient(folder, state, year, records, seed=7)
    return records_of(folder, NAMES)


@pytest.fixture(scope="module")
def acre(tmp_path_factory):
    return released(tmp_path_factory, "AC", 2023)


@pytest.fixture(scope="module")
def federal_district(tmp_path_factory):
    return released(tmp_path_factory, "DF", 2019)


@pytest.fixture(scope="module")
def invalid(acre):
    return acre.drop(valid(acre).index)


def month_number(months):
    numbers = months.astype(int)
    return numbers // 100 * 12 + numbers % 100


def test_the_number_of_valid_records_is_that_asked_for_and_their_share_the_published(
    acre, federal_district
):
    assert len(valid(acre)) == len(valid(federal_district)) == RECORDS
    assert RECORDS / len(acre) == pytest.approx(0.7477, abs=1e-4)
    assert RECORDS / len(federal_district) == pytest.approx(1 - 0.5778, abs=1e-4)


def test_valid_records_are_in_the_domains_of_the_source(acre):
    assert set(valid(acre)["PA_DOCORIG"]) == {"I"}  # not consolidated
    with (CONFIG / "domains" / "datasus_sia_pa.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = valid(acre)[row["attribute"]].unique()
            assert all(re.fullmatch(row["pattern"], value) for value in values)


def test_race_is_invalid_in_all_but_a_thousandth_of_the_invalid_records(invalid):
    known = invalid["PA_RACACOR"].isin(["01", "02", "03", "04", "05"])
    # 20,245 records; 20 expected, with a standard deviation of 4.5.
    assert 5 <= known.sum() <= 40


def test_consolidated_records_say_nothing_of_a_patient(invalid):
    consolidated = invalid[invalid["PA_DOCORIG"] == "C"]
    assert len(consolidated) / len(invalid) == pytest.approx(0.7, abs=0.02)
    patient = consolidated[["PA_IDADE", "PA_SEXO", "PA_RACACOR", "PA_MUNPCN"]]
    said = patient.drop_duplicates().to_numpy().tolist()
    assert said == [["999", "0", "00", "999999"]]


def test_other_invalid_records_lack_one_thing_each(invalid):
    others = invalid[invalid["PA_DOCORIG"] != "C"]
    missing = {"PA_RACACOR": "99", "PA_IDADE": "999", "PA_SEXO": "0"}
    missing["PA_MUNPCN"] = "120000"
    lacks = np.array([others[name] == code for name, code in missing.items()])
    assert (lacks.sum(axis=0) == 1).all()
    assert (lacks.sum(axis=1) > 0).all()


def test_records_lie_in_the_file_of_their_month_of_processing(acre):
    assert acre["PA_MVM"].is_monotonic_increasing
    assert acre["PA_MVM"].unique().tolist() == [f"2023{m:02}" for m in range(1, 13)]


def test_procedures_were_done_at_most_three_months_before(acre):
    january = acre[acre["PA_MVM"] == "202301"]
    assert set(january["PA_CMP"]) == {"202301", "202212", "202211", "202210"}
    lag = month_number(acre["PA_MVM"]) - month_number(acre["PA_CMP"])
    assert sorted(lag.unique()) == [0, 1, 2, 3]
    assert (lag == 0).mean() == pytest.approx(0.9, abs=0.02)


def test_units_and_their_managers_lie_in_one_place_of_the_state(acre):
    assert acre["PA_UFMUN"].str.startswith("12").all()
    assert (acre.groupby("PA_CODUNI")["PA_UFMUN"].nunique() == 1).all()
    assert set(acre["PA_GESTAO"]) == {"120000"}


@pytest.mark.long
def test_units_keep_their_size(acre, tmp_path_factory):
    larger = released(tmp_path_factory, "AC", 2023, records=4 * RECORDS)
    size = outpatient().state("AC").size
    for records in (acre, larger):
        n_valid = len(valid(records))
        assert records["PA_CODUNI"].nunique() == round(n_valid / size)


def test_the_flags_of_distance_compare_homes_and_units(federal_district):
    records = valid(federal_district)
    is_away = records["PA_MUNPCN"] != records["PA_UFMUN"]
    assert (records["PA_MNDIF"] == is_away.map({True: "1", False: "0"})).all()
    is_abroad = ~records["PA_MUNPCN"].str.startswith("53")
    assert (records["PA_UFDIF"] == is_abroad.map({True: "1", False: "0"})).all()


def test_patients_of_the_federal_district_come_from_its_neighbour_too(federal_district):
    homes = valid(federal_district)["PA_MUNPCN"].str[:2]
    assert set(homes) == {"53", "52"}
    home = outpatient().state("DF").home
    assert (homes == "53").mean() == pytest.approx(home, abs=0.03)


def test_visits_have_the_lines_of_the_state(acre):
    patient = ["PA_CODUNI", "PA_MVM", "PA_CMP", "PA_IDADE", "PA_SEXO", "PA_MUNPCN"]
    same = valid(acre)[patient]
    changes = (same != same.shift()).any(axis=1)
    lines = outpatient().state("AC").lines
    assert 1 / changes.mean() == pytest.approx(lines, rel=0.05)
