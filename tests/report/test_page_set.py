"""Which pages a report has, and what is on each: many releases, states, groups."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from microleak.base.errors import StudyError
from microleak.report.page import each_page
from microleak.study.pages import shown_families
from microleak.study.tables import result_tables as specs
from tests.attacks.collective.state_study import (
    LANGUAGES,
    TABLE,
    blank_figures,
    english,
    pages_of,
    study_of,
    tables_of,
)
from tests.report.made import report_pages, write_report
from tests.report.test_page import Parser

REMOVED = tuple(specs()["removed"].names)

STATES = "States side by side: procedure, 2023"
PARTS = ["lines-RR-2022", "lines-RR-2023", "lines-SE-2023", "lines-DF-2023"]


def headings(page):
    return re.findall(r'<(?:h2|p class="lead")>(.*?)</(?:h2|p)>', english(page))


def test_each_part_of_an_analysis_has_a_page_beside_the_index(pages):
    assert [*pages] == [*(f"{name}.html" for name in PARTS), "index.html"]


def test_a_page_is_made_before_the_chapter_of_the_next_release():
    tables = tables_of()
    figures = blank_figures(tables, ["en"])
    figures = {name: svg for name, svg in figures.items() if PARTS[1] not in name}
    headline = study_of(tables).headline(tables)
    pages = each_page(headline, tables.tables, figures, ["en"], shown_families())
    assert next(pages)[0] == f"{PARTS[0]}.html"
    with pytest.raises(StudyError, match=f"lacks the figure {PARTS[1]}/"):
        next(pages)


def test_every_page_is_balanced_html_whose_links_end_at_a_page_a_file_or_a_place(pages):
    files, links = {*tables_of().tables.files()}, set()
    for page in pages.values():
        parser = Parser(page)
        assert parser.open == []
        ids = parser.values("id")
        assert len(ids) == len(set(ids))
        inside = {link[1:] for link in parser.values("href") if link[0] == "#"}
        assert inside <= set(ids)
        links |= {link for link in parser.values("href") if link[0] != "#"}
    assert files <= links <= {*files, *pages}


def test_the_page_of_a_part_links_back_and_has_its_sections_and_group(pages):
    page = pages["lines-RR-2023.html"]
    assert '<a href="index.html">← All results of the study</a>' in page
    kickers = re.findall(r'class="kicker">(.*?)</h2>', english(page))
    assert kickers == [
        "lines-RR-2023 · Re-identification",
        "lines-RR-2023 · Attribute inference: procedure (PA_PROC_ID)",
        "lines-RR-2023 · Group of values: severe",
    ]
    assert page.count("How much each attribute adds to the risk, RR-2023") == 2


def test_the_index_has_states_and_links_instead_of_chapters(pages):
    page = pages["index.html"]
    found, *others = headings(page)[:3]
    assert found.startswith("Knowing 2 attributes adds ")
    assert found.endswith("percentage points to the best guess of “procedure”")
    assert others == ["Each release in detail", "Methods and data"]
    assert f'<h2 class="kicker">lines · {STATES}</h2>' in page
    assert "Four facts" not in page
    assert "← " not in page
    for name in PARTS:
        row = english(page)[english(page).index(f'<th scope="row"><a href="{name}') :]
        finding = row[: row.index("</tr>")]
        assert 'data-head="Re-identification"' in finding
        assert 'data-head="Group of values: severe"' in finding


def test_where_states_stand_side_by_side_releases_are_not_compared_again(pages):
    page = pages["index.html"]
    assert "From one release to the next" not in page
    assert 'href="data/comparison.csv"' in page


def test_a_removed_record_is_explained_beside_where_the_data_come_from(pages):
    assert "removed" not in "".join(map(english, pages.values()))
    why = (("PA_IDADE", "missing", 0), ("PA_IDADE", "outside", 1), ("", "any", 1))
    rows = [
        (TABLE, release, attribute, reason, n * n_rows, n * n_rows / 100)
        for release, n_rows in (("RR-2023", 5), ("SE-2023", 1))
        for attribute, reason, n in why
    ]
    tables = replace(tables_of(), removed=pd.DataFrame(rows, columns=[*REMOVED]))
    found = pages_of(tables)
    index = english(found["index.html"])
    assert "1.00% (SE-2023) to 5.00% (RR-2023)" in index
    assert "no value</td>" not in index
    assert 'href="data/removed.csv"' in index
    part = english(found["lines-RR-2023.html"])
    assert re.search('<td class="number"[^>]*>5.00%</td>', part)
    assert "SE-2023" not in part[part.index("Why records were removed") :]
    assert "Why records were removed" not in english(found["lines-DF-2023.html"])


def test_without_states_releases_are_still_compared():
    tables = tables_of(("RR-2022", "RR-2023"))
    figures = blank_figures(tables, ["en"])
    figures["comparison-sia_pa.en.svg"] = "<svg></svg>"
    pages = report_pages(study_of(tables), tables, figures, ["en"])
    assert "Releases compared: sia_pa" in headings(pages["index.html"])


def test_analyses_of_one_release_stay_on_the_index():
    tables = tables_of()
    pages = pages_of(tables, study_of(tables, are_parts=False))
    assert [*pages] == ["index.html"]
    page = pages["index.html"]
    assert STATES in page
    assert "lines-RR-2023 · Re-identification" in page
    assert "Each release in detail" not in page


def test_what_was_measured_is_said_once_for_all_releases(pages):
    _, _, told = english(pages["index.html"]).partition("<h3>What was measured")
    measured = told[told.index("<ul>") : told.index("</ul>")]
    assert measured.count("<li>") == 1
    assert "lines: table sia_pa, 4 releases, each on a page of its own; 3" in measured
    assert "protect (sensitive attributes): procedure (PA_PROC_ID)." in measured


def test_a_list_of_one_release_is_said_in_the_singular():
    page = pages_of(tables_of(("RR-2023",)))["index.html"]
    assert "1 release, on a page of its own" in page
    assert "1 divulgação, em página própria" in page


def test_a_page_names_the_origin_of_its_own_release_only(pages):
    page = pages["lines-RR-2023.html"]
    assert "<td>RR-2023</td>" in page
    assert "<td>SE-2023</td>" not in page
    assert "<td>SE-2023</td>" in pages["index.html"]


def test_a_page_says_synthetic_where_its_own_release_is(pages):
    said = {name: page.count('class="synthetic"') for name, page in pages.items()}
    assert [n for n, k in said.items() if k] == ["lines-DF-2023.html", "index.html"]


def test_words_are_explained_on_the_pages_that_use_them(pages, census):
    for name, page in pages.items():
        assert ("Entropy and block size" in page) == (name == "index.html")
        assert ">Group of values</dt>" in page
        assert ">Shapley value</dt>" in page
    assert "Entropy and block size" not in census["index.html"]
    tables = replace(tables_of(("RR-2023",)), groups={}, importance={})
    page = "".join(pages_of(tables).values())
    assert "<dt>Group of values</dt>" not in page
    assert "<dt>Shapley value</dt>" not in page


def test_attacks_without_all_subsets_have_no_table_of_importance_and_no_file():
    tables = tables_of(("RR-2023",))
    none = {name: rows.iloc[:0] for name, rows in tables.importance.items()}
    without = replace(tables, importance=none)
    assert "data/lines-RR-2023-importance.csv" not in without.tables.files()
    page = pages_of(without)["lines-RR-2023.html"]
    assert "What each attribute brings" not in page
    assert "-importance.csv" not in page


def test_every_page_and_table_is_written(tmp_path):
    tables = tables_of()
    figures = blank_figures(tables, LANGUAGES)
    write_report(tmp_path, study_of(tables), tables, figures, LANGUAGES)
    assert {path.name for path in tmp_path.glob("*.html")} == {
        "index.html",
        *(f"{name}.html" for name in PARTS),
    }
    assert {path.name for path in (tmp_path / "data").glob("*.csv")} == {
        name.removeprefix("data/") for name in tables.tables.files()
    }
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert "states-lines+PA_PROC_ID-map.pt.svg" in drawn
    assert len(drawn) == 12


def test_the_origin_of_a_pooled_release_is_that_of_its_parts():
    tables = replace(tables_of(("RR-2023", "SE-2023", "DF-2023")).tables)
    parts = ("RR-2023", "DF-2023")
    pooled = replace(tables, pools={("sia_pa", "nation"): parts})
    told = pooled.origin("sia_pa", "nation")
    assert tuple(told.ingest["release"]) == parts
    assert told.protections.empty
