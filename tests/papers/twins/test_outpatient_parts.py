import numpy as np
import pytest

from papers.twins.engine.draws import LEVELS, generator
from papers.twins.outpatient.lines import Clinic, Population
from papers.twins.outpatient.release import Spelling
from papers.twins.outpatient.units import mixed, outpatient, places_of, units_of

SETTINGS = outpatient()


def units(name, records, seed=1):
    state = SETTINGS.state(name)
    return units_of(state, records, 1, SETTINGS, generator(seed, 1))


def clinic(name, records=400_000):
    state = SETTINGS.state(name)
    made = units(name, records)
    population = Population(state, places_of(state, SETTINGS), SETTINGS)
    return Clinic(population, made, np.rint(made.weight * records).astype(np.int64))


@pytest.mark.parametrize("name", SETTINGS.names)
def test_the_modal_lines_of_chosen_units_are_the_prior(name):
    state, made = SETTINGS.state(name), units(name, 1_000_000)
    modal = made.weight * made.modal / LEVELS
    assert modal[made.procedure == 0].sum() == pytest.approx(state.prior, abs=0.005)
    assert modal.sum() == pytest.approx(state.modal, abs=0.001)


def test_units_weigh_one_together_and_have_codes_of_their_own():
    made = units("SP", 112_637_066)
    assert made.weight.sum() == pytest.approx(1)
    assert len(np.unique(made.code)) == len(np.unique(made.key)) == len(made)
    assert 1_000_000 <= made.code.min() <= made.code.max() <= 9_999_999


def test_a_share_of_the_records_has_that_share_of_the_municipalities():
    records = SETTINGS.state("MG").records
    assert len(np.unique(units("MG", records // 100).place)) == round(853 / 100)
    assert len(np.unique(units("MG", records).place)) == 853


def test_the_places_of_a_state_are_its_municipalities_without_check_digit():
    places = places_of(SETTINGS.state("RR"), SETTINGS)
    assert places.n_own == len(np.unique(places.code)) == 15
    assert set(places.code // 10_000) == {14}
    assert (np.diff(places.weight) <= 0).all()


def test_nobody_moves_within_a_district_of_one_municipality():
    places = places_of(SETTINGS.state("DF"), SETTINGS)
    assert places.weight[0] == 0
    assert set(places.code[1:] // 10_000) == {52}


def test_a_patient_is_the_same_at_every_visit():
    own = clinic("AC")
    unit, number = np.array([3, 5, 3]), np.array([11, 11, 11], dtype=np.uint64)
    patients = own.population.patients(own.units, unit, number)
    assert all(values[0] == values[2] for values in patients)
    assert any(values[0] != values[1] for values in patients)


def test_the_country_has_4500_procedures_of_ten_digits():
    codes = Spelling(clinic("AC")).procedure
    assert len(np.unique(codes)) == 4500
    assert all(len(code) == 10 and code.isdigit() for code in codes.tolist())


def test_two_states_have_other_procedures_in_front():
    first, second = (Spelling(clinic(name)).procedure[0] for name in ("AC", "RR"))
    assert first != second


def test_one_bit_of_a_key_changes_half_the_bits():
    keys = np.arange(64, dtype=np.uint64)
    changed = mixed(keys) ^ mixed(keys ^ np.uint64(1))
    bits = np.unpackbits(changed.view(np.uint8)).mean()
    assert bits == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("state", "year", "kept"),
    [("DF", 2019, 0.4222), ("DF", 2021, 0.6554), ("AM", 2023, 0.9147)],
)
def test_the_share_kept_lies_between_the_years_that_are_known(state, year, kept):
    assert SETTINGS.kept(state, year) == pytest.approx(kept)
