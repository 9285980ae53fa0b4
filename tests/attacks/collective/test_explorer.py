"""Tick what is known: the numbers within the page, and the words around them."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.explorer import (
    MOST_QIDS,
    boxes_of,
    explorer,
    is_explorable,
)
from microleak.report.texts import voice
from microleak.tables.rows import with_text
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
from tests.report.test_page import Parser

ENGLISH = voice("en")


def boxes(tables, speaker=ENGLISH):
    rows, worst = (
        with_text(kind["pupils"]) for kind in (tables.collective, tables.worst)
    )
    first = worst[worst["sensitive"] == ""]
    return boxes_of(rows, first, (), Scope(speaker, "person"))


def numbers_of(rows, speaker=ENGLISH):
    return json.loads(boxes(tables_of(rows=rows), speaker).numbers)


def by_bits(values):
    """Values given in the order of SUBSETS, by the bits of the attributes."""
    bits = [sum(1 << QIDS.index(q) for q in names.split("|")) for names in SUBSETS]
    return [dict(zip(bits, values, strict=True))[b] for b in sorted(bits)]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_page_holds_the_numbers_of_every_subset_attack_and_panel(language):
    numbers = voice(language).numbers

    def written(certain, guess, prior):
        return [
            numbers.count(certain),
            numbers.share(certain / N),
            numbers.share(guess / N),
            numbers.points((guess - prior) / N),
        ]

    (reid, infer), linked = numbers_of(collective(), voice(language))
    hits = by_bits(GUESS)
    counts = list(zip(by_bits(CERTAIN), hits, strict=True))
    assert reid == [written(*each, 1) for each in [(0, 1), *counts]]
    right = [(alone, PRIOR + n // 10) for alone, n in counts]
    assert infer == [written(*each, PRIOR) for each in [(0, PRIOR), *right]]
    more = 5_003
    assert linked[0][-1] == written(CERTAIN[-1] + more, GUESS[-1] + more, 1)


def test_the_order_of_rows_changes_nothing():
    rows = collective()
    first = rows.groupby(["auxiliary", "sensitive"], sort=False).head(1)
    others = rows.drop(first.index).iloc[::-1]
    # The attributes keep the order of the full set in whatever row comes first.
    shuffled = pd.concat([first, others])
    assert numbers_of(shuffled) == numbers_of(rows)


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
    found = boxes(tables_of(rows=one))
    assert [fact.name for fact in found.facts if fact.is_ticked] == ["NU_IDADE", "CITY"]
    assert [fact.plain for fact in found.facts] == ["age", "sex", "CITY"]
    assert [fact.bit for fact in found.facts] == [1, 2, 4]


def test_where_releases_are_linked_all_facts_are_ticked_first():
    found = boxes(tables_of())
    assert all(fact.is_ticked for fact in found.facts)
    assert found.panels == ("2018", "2018 + 2019")


@pytest.mark.parametrize("language", ["pt", "en"])
def test_each_attack_has_a_sentence_with_a_place_for_each_number(language):
    speaker = voice(language)
    found = boxes(tables_of(), speaker)
    subjects = [speaker.subject(sensitive) for sensitive in ("", "ILL")]
    assert [part.name for part in found.attacks] == subjects
    for part in found.attacks:
        assert part.prior in part.sentence
        for name in ("records", "certain", "guess", "leakage"):
            assert part.sentence.count(f"{{{name}}}") == 1


def test_the_boxes_are_hidden_until_the_script_shows_them():
    page = pages_of(tables_of())["index.html"]
    hidden = [a for _, a in Parser(page).tags if a.get("class") == "explorer"]
    assert len(hidden) == 2
    assert all("hidden" in attributes for attributes in hidden)


def test_no_name_can_end_the_section_or_the_script_that_holds_its_numbers():
    tables = tables_of()
    name = "</script><!--"
    named = replace(boxes(tables), analysis=name, panels=(name,))
    assert "<" not in named.numbers
    rows = with_text(tables.collective["pupils"]).assign(analysis=name)
    worst = with_text(tables.worst["pupils"])
    part = explorer(rows, worst[worst["sensitive"] == ""], (), Scope(ENGLISH, "person"))
    (filled,) = part.body
    assert name not in filled.html
