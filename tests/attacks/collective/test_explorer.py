"""Tick what is known: the numbers within the page, and the words around them."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.report.explorer import (
    MOST_QIDS,
    embedded,
    explorer,
    is_explorable,
    steps,
)
from microleak.report.texts import voice
from tests.attacks.collective.explorable_study import (
    CERTAIN,
    GUESS,
    PRIOR,
    QIDS,
    SUBSETS,
    N,
    collective,
    pages_of,
    tables_of,
)
from tests.collective_rows import subset
from tests.report.test_page import Parser

ENGLISH = voice("en")


def smaller(elements):
    """The sets with one element less, spelled out."""
    return [elements - {one} for one in elements]


def naively_unpacked(first, differences):
    """What steps mean, by sets: their sum with the largest of one element less."""
    n = (len(differences) + 1).bit_length() - 1
    by_bits = [frozenset(i for i in range(n) if b >> i & 1) for b in range(1 << n)]
    numbers = {frozenset(): first}
    for elements, step in zip(by_bits[1:], differences, strict=True):
        numbers[elements] = step + max(numbers[less] for less in smaller(elements))
    return [numbers[elements] for elements in by_bits]


def unpacked(series):
    return naively_unpacked(series[0], series[1:])


counts = st.integers(0, 60_000_000)
"""None need grow with what is known."""


@given(
    st.integers(0, 5).flatmap(
        lambda n: st.lists(counts, min_size=1 << n, max_size=1 << n)
    )
)
def test_numbers_come_back_from_the_steps_between_them(numbers):
    assert naively_unpacked(numbers[0], steps(numbers)) == numbers


def numbers_of(rows):
    return json.loads(embedded({"pupils": rows}))["pupils"]


def by_bits(values):
    """Values given in the order of SUBSETS, by the bits of the attributes."""
    bits = [sum(1 << QIDS.index(q) for q in names.split("|")) for names in SUBSETS]
    return [dict(zip(bits, values, strict=True))[b] for b in sorted(bits)]


def test_the_page_holds_the_counts_of_every_subset_attack_and_panel():
    alone, linked = numbers_of(collective())["panels"]
    reid, infer = alone
    assert reid["records"] == N
    assert unpacked(reid["certain"]) == [0, *by_bits(CERTAIN)]
    assert unpacked(reid["guess"]) == [1, *by_bits(GUESS)]
    assert unpacked(infer["certain"]) == [0, *by_bits(CERTAIN)]
    right = [PRIOR + hits // 10 for hits in by_bits(GUESS)]
    assert unpacked(infer["guess"]) == [PRIOR, *right]
    assert unpacked(linked[0]["guess"])[-1] == GUESS[-1] + 5_003


def test_the_order_of_rows_changes_nothing():
    rows = collective()
    first = rows.groupby(["auxiliary", "sensitive"], sort=False).head(1)
    others = rows.drop(first.index).iloc[::-1]
    # The attributes keep the order of the full set in whatever row comes first.
    shuffled = pd.concat([first, others])
    assert numbers_of(shuffled)["panels"][0][1] == numbers_of(rows)["panels"][0][1]


def test_an_analysis_without_some_subset_has_no_boxes():
    rows = collective()
    assert is_explorable(rows)
    assert not is_explorable(rows[rows["qids"] != "TP_SEXO|CITY"])
    some = tables_of(rows=rows[rows["n_qids"] != 2])
    assert "explorer" not in Parser(pages_of(some)["index.html"]).values("class")


def test_an_analysis_of_too_many_attributes_has_no_boxes():
    names = [f"A{i}" for i in range(MOST_QIDS + 1)]
    every = [
        "|".join(n for i, n in enumerate(names) if bits >> i & 1)
        for bits in range(1, 1 << len(names))
    ]
    assert not is_explorable(pd.DataFrame({"qids": every}))


def test_the_facts_of_the_finding_are_ticked_first():
    one = collective()[lambda rows: rows["auxiliary"] == ""]
    tables = tables_of(rows=one)
    boxes = explorer(tables.collective["pupils"], tables.worst["pupils"], ENGLISH)
    assert [fact.name for fact in boxes.facts if fact.is_ticked] == ["NU_IDADE", "CITY"]
    assert [fact.plain for fact in boxes.facts] == ["age", "sex", "CITY"]
    assert [fact.bit for fact in boxes.facts] == [1, 2, 4]


def test_where_releases_are_linked_all_facts_are_ticked_first():
    tables = tables_of()
    boxes = explorer(tables.collective["pupils"], tables.worst["pupils"], ENGLISH)
    assert all(fact.is_ticked for fact in boxes.facts)
    assert boxes.panels == ("2018", "2018 + 2019")


@pytest.mark.parametrize("language", ["pt", "en"])
def test_each_attack_has_a_sentence_with_a_place_for_each_number(language):
    tables = tables_of()
    speaker = voice(language)
    boxes = explorer(tables.collective["pupils"], tables.worst["pupils"], speaker)
    assert [part.name for part in boxes.subjects] == [
        speaker.subject(""),
        speaker.subject("ILL"),
    ]
    for part in boxes.subjects:
        for name in ("records", "n_records", "certain", "guess", "prior", "points"):
            assert part.sentence.count(f"{{{name}}}") == 1


def test_the_boxes_are_hidden_until_the_script_shows_them():
    page = pages_of(tables_of())["index.html"]
    hidden = [a for _, a in Parser(page).tags if a.get("class") == "explorer"]
    assert len(hidden) == 2
    assert all("hidden" in attributes for attributes in hidden)


def test_no_name_of_an_analysis_can_end_the_script_that_holds_its_numbers():
    rows = pd.DataFrame([subset("AGE", 1, 2)])
    text = embedded({"</script><!--": rows})
    assert "<" not in text
    assert list(json.loads(text)) == ["</script><!--"]
