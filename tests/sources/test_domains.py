import pyarrow as pa
import pytest

from microleak.sources.steps.ingest import checks, refused
from tests.sources.released import census, delimited


def marked(values, pattern, **options):
    definition = delimited(domains={"a": pattern}, **options)
    masks = refused(pa.table({"a": pa.array(values, pa.string())}), checks(definition))
    return {name: mask.tolist() for name, mask in masks.items()}


def test_a_chunk_within_its_domains_has_nothing_refused():
    assert marked(["1", "2", "1"], "[12]") == {}


def test_every_record_with_a_refused_value_is_marked():
    assert marked(["3", "1", "3", "4"], "[12]") == {"a": [True, False, True, True]}


def test_a_missing_value_is_within_every_domain():
    assert marked([None, "3"], "[12]") == {"a": [False, True]}
    assert marked([None, None], "[12]") == {}


def test_an_identifier_is_never_missing():
    assert marked([None, "1"], "[12]", person_id="a") == {"a": [True, False]}
    assert marked([None, "9"], "[12]", record_id="a") == {"a": [True, True]}


def test_an_identifier_without_a_domain_may_be_anything_but_missing():
    table = pa.table({"id": ["x", None], "b": ["y", None]})
    masks = refused(table, checks(delimited(person_id="id")))
    assert {name: mask.tolist() for name, mask in masks.items()} == {
        "id": [False, True]
    }


@pytest.mark.parametrize("value", ["12", "1\n", " 1", "", "1x", "x1"])
def test_a_pattern_matches_the_whole_value(value):
    assert marked([value], "1|2") == {"a": [True]}


@pytest.mark.parametrize(
    ("pattern", "value", "is_refused"),
    [("(?i)x", "X", False), (r"\pL+", "José", False), (r"\w+", "José", True)],
)
def test_a_pattern_is_read_as_re2_reads_it(pattern, value, is_refused):
    assert marked([value], pattern) == ({"a": [True]} if is_refused else {})


def test_what_an_identifier_must_be_says_that_it_is_never_missing():
    assert checks(census("2017"))["ID_ALUNO"].expected == "12 digits, never missing"
    assert checks(census())["TP_SEXO"].expected == "1 or 2"


def test_a_chunk_of_many_pieces_is_one_chunk():
    column = pa.chunked_array([["1", "9"], [], ["9", None]], pa.string())
    masks = refused(pa.table({"a": column}), checks(delimited(domains={"a": "1"})))
    assert masks["a"].tolist() == [False, True, True, False]
