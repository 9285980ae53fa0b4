"""The page of a public report: a plain table in each language, and what is promised."""

import json
import re

import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import linked_persons
from microleak.report.public import write_public_report
from microleak.report.texts import texts_of, voice
from tests.attacks.collective.public_study import LINE_TABLES, TABLES, page_of


@pytest.fixture(scope="module")
def page():
    return page_of()


def edition(page, language):
    return page.split(f"edition-{language}")[-1].split("</main>")[0]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_each_language_says_what_is_promised(page, language):
    told = edition(page, language)
    texts = texts_of(language)["public"]
    assert len(texts["promise"]) == 3
    assert all(sentence in told for sentence in (*texts["promise"], texts["once"]))


def test_a_page_asks_for_nothing_and_runs_nothing(page):
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert set(re.findall(r'href="(.*?)"', page)) == {
        *("data/pupils-noisy_counts.csv", "data/releases.csv"),
        "data/privacy_losses.csv",
    }


def test_a_made_up_release_says_so(page):
    assert page.count("SYNTHETIC") >= 2


@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_first_line_says_that_it_is_public_and_no_number(language):
    (status,) = re.findall('<p class="audience">(.*?)</p>', page_of(TABLES, [language]))
    assert status == texts_of(language)["public"]["status"]
    assert not re.search(r"\d", status)


def test_the_tables_lie_beside_the_page_and_say_whom_they_are_for(tmp_path):
    write_public_report(tmp_path, "town", TABLES, LINE_TABLES, [voice("en")])
    files = {"pupils-noisy_counts.csv", "releases.csv", "privacy_losses.csv"}
    written = {path.name for path in (tmp_path / "data").iterdir()}
    assert written == {"metadata.json", *files}
    assert '"audience": "public"' in (tmp_path / "data/metadata.json").read_text()


def test_a_page_has_counts_ranges_and_the_account_and_no_share():
    told = edition(page_of(), "pt")
    cells = re.findall(r'<td class="number">([^<]*)<', told)
    assert cells == [
        *("5.003", "4.979 a 5.027", "3.999", "3.975 a 4.023"),
        *("-3 (menor que 0 por causa do ruído) (incerta demais)", "0 a 21"),
        *("4.990", "4.966 a 5.014", "1", "0,5"),
    ]
    assert "que o autor declara, 1,5." in told
    assert "%" not in re.sub("95%", "", told)


def test_linked_persons_are_counted_as_the_receipts_of_the_panels_do(tmp_path):
    folder = tmp_path / "panels/census/2014"
    folder.mkdir(parents=True)
    for release, n_linked in [("2015", 6), ("2013", 4)]:
        counts = {"n_auxiliary": 9, "n_focal": 8, "n_linked": n_linked}
        (folder / f"{release}.json").write_text(json.dumps(counts))
    analysis = Collective(
        "pupils", "census", "2014", ("AGE",), (), "all", ("2015", "2013")
    )
    assert linked_persons(tmp_path, analysis) == [
        {"auxiliary": "2015", "n_focal": 8, "n_linked": 6},
        {"auxiliary": "2013", "n_focal": 8, "n_linked": 4},
    ]
