"""The page of a public report: plain tables in each language, and what they promise."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.collective.report.public import _sentences, parts
from microleak.report.public import write_public_report
from microleak.report.texts import texts_of, voice
from microleak.study.published import public_families
from tests.attacks.collective.public_study import LINE_TABLES, NOISY, TABLES, page_of


@pytest.fixture(scope="module")
def page():
    return page_of()


def edition(page, language):
    return page.split(f"edition-{language}")[-1].split("</main>")[0]


def test_a_share_at_an_end_is_written_as_less_or_more(page):
    row = edition(page, "en").split(">AGE ")[1].split("</tr>")[0]
    shares = re.findall(r'number">([^<]*)<', row)
    assert shares == ["1", "&lt;2%", "&lt;2%", "&lt;2%", "4%", "96%"]


@pytest.mark.parametrize(
    ("language", "found", "guess"),
    [
        (
            "en",
            "Someone who knows two facts (AGE and sex) finds about 62% of the people "
            "with certainty, as they are alone in their block",
            "With one fact (AGE), the best guess of “ILL” is right for more than 98% "
            "of the people; knowing nothing, for about 80%.",
        ),
        (
            "pt",
            "Quem conhece duas informações (AGE e sexo) encontra com certeza cerca de "
            "62% das pessoas, que estão sozinhas em seu bloco",
            "Com uma informação (AGE), o melhor palpite sobre “ILL” acerta o valor de "
            "mais de 98% das pessoas; sem saber nada, o de cerca de 80%.",
        ),
    ],
)
def test_the_page_begins_with_what_was_found(page, language, found, guess):
    told = edition(page, language)
    assert f"<h2>{found}</h2>" in told
    assert f"<li>{guess}</li>" in told
    promise = texts_of(language)["public"]["promise_heading"]
    assert told.index(found) < told.index(promise)


def test_few_facts_that_are_enough_for_half_are_told(page):
    blocks = TABLES.of("blocks")["pupils"]
    more = blocks.assign(alone_pct=[40, 62])
    told = [*_sentences(more, TABLES.of("inference")["pupils"], voice("en"))]
    assert (
        told[0] == "With one fact (AGE), about 40% of the people can already be found."
    )


def test_where_nobody_may_be_found_it_is_told_of_who_knows_most(page):
    """Of equals no single fact is named, as all of them together say more."""
    shown = {**TABLES.analyses, "blocks": {}}
    none = TABLES.of("blocks")["pupils"].assign(alone_pct=0)
    shown["blocks"] = {"pupils": none}
    (part,) = parts(replace(TABLES, analyses=shown), voice("en"))
    assert part.heading.startswith(
        "Someone who knows two facts (AGE and sex) finds less than 2% of the people"
    )


def test_a_row_has_a_bar_of_its_classes(page):
    row = edition(page, "en").split('qids">AGE and sex')[1].split("</tr>")[0]
    bars = re.findall(r'<rect class="(\w+)" x="(\d+)" width="(\d+)"', row)
    assert bars == [
        ("alone_pct", "0", "62"),
        ("from_2_to_4_pct", "62", "30"),
        ("from_5_to_9_pct", "92", "4"),
        ("from_10_to_99_pct", "96", "4"),
    ]


@pytest.mark.parametrize(
    ("language", "once", "small"),
    [
        ("en", "published once", "fewer than 1,000 records"),
        ("pt", "publicado uma única vez", "menos de 1.000 registros"),
    ],
)
def test_each_language_says_what_is_promised_and_what_is_too_small(
    page, language, once, small
):
    told = edition(page, language)
    promise = texts_of(language)["public"]["promise"]
    assert len(promise) == 5
    assert all(sentence in told for sentence in promise)
    assert once in told
    assert small in told


def test_a_page_asks_for_nothing_and_runs_nothing(page):
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert set(re.findall(r'href="(.*?)"', page)) == {
        *("data/pupils-blocks.csv", "data/pupils-inference.csv", "data/releases.csv")
    }


def test_a_made_up_release_says_so(page):
    assert page.count("SYNTHETIC") >= 2


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "Relatório público: pode ser repassado e deve ser publicado uma vez. "),
        ("en", "Public report: it may be passed on, and should be published once. "),
    ],
)
def test_the_first_line_says_that_it_is_public_and_of_how_many_records(language, said):
    (status,) = re.findall('<p class="audience">(.*?)</p>', page_of(TABLES, [language]))
    assert status.startswith(said)
    speaker = voice(language)
    releases = TABLES.whole("releases")
    for name, n_records in zip(releases["release"], releases["n_records"], strict=True):
        told = f"{name}: " + (
            {"pt": "menos de 1.000", "en": "fewer than 1,000"}[language]
            if pd.isna(n_records)
            else f"{ABOUT[language]} {speaker.numbers.count(n_records)}"
        )
        assert told in status
    (noisy,) = re.findall('<p class="audience">(.*?)</p>', page_of(NOISY, [language]))
    assert not re.search(r"\d", noisy)


ABOUT = {"pt": "cerca de", "en": "about"}


def test_the_tables_lie_beside_the_page_and_say_whom_they_are_for(tmp_path):
    write_public_report(
        tmp_path, "town", TABLES, LINE_TABLES, [voice("en")], public_families()
    )
    files = sorted(p.name for p in (tmp_path / "data").iterdir())
    assert files == [
        *("metadata.json", "pupils-blocks.csv"),
        *("pupils-inference.csv", "releases.csv"),
    ]
    assert '"audience": "public"' in (tmp_path / "data/metadata.json").read_text()


def test_a_page_with_noise_has_counts_ranges_and_the_account_and_no_share():
    told = edition(page_of(NOISY), "pt")
    cells = re.findall(r'<td class="number">([^<]*)<', told)
    assert cells == [
        *("5.003", "±24", "-3", "±24", "3.999", "±24", "4.990", "±24"),
        *("1", "1/2"),
    ]
    assert "é 3/2." in told
    assert "%" not in re.sub("95%", "", told)
    promise = texts_of("pt")["noise"]["promise"]
    assert all(sentence in told for sentence in promise)
