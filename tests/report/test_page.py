import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from microleak.base.errors import StudyError
from microleak.report.contents import Headline
from microleak.report.editions import about, partial_years, unused
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from microleak.tables.files import read_table
from tests.collective_rows import ingest_of, worst_of
from tests.report.made import (
    Made,
    Told,
    draw_analysis,
    read_figures,
    report_pages,
    write_report,
)

LANGUAGES = ["pt", "en"]
MADE_UP = re.compile("SYNTHETIC / SINTÉTICO|SINTÉTICO / SYNTHETIC")


class Parser(HTMLParser):
    """Collects what tests ask of a page: balanced tags, attributes, and text."""

    EMPTY = frozenset({"meta", "input", "link", "br"})

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def values(self, attribute):
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]


def bins(row, counts):
    columns = ["analysis", "attack", "table", "focal", "auxiliary", "qids", "n_qids"]
    subset = {name: row[name] for name in [*columns, "sensitive"]}
    return [subset | {"bin": b, "n_records": n} for b, n in counts.items()]


def ingest(n=41_233, **changed):
    return ingest_of("census", {"2018": n}, n_refused=4, n_read=n + 4, **changed)


@pytest.fixture(scope="module")
def census(make_subset, make_worst):
    """Tables of 41,233 pupils; `more` is added to every count but the smallest."""

    def make(synthetic="false", more=0):
        n = 41_233 + more
        rows = [
            make_subset("AGE", 7, 417 + more, n_records=n, n_blocks=417 + more),
            make_subset("AGE|CITY", 31_417 + more, 35_123 + more, n_records=n),
        ]
        ill = {"sensitive": "ILL", "prior_count": 30_123 + more, "n_records": n}
        rows += [
            make_subset("AGE", 3, 30_217 + more, n_blocks=417 + more, **ill),
            make_subset("AGE|CITY", 33_333 + more, 38_762 + more, **ill),
        ]
        distribution = [
            *bins(rows[0], {10: 41_226 + more, 100: 7}),
            *bins(rows[1], {50: 9_816, 100: 31_417 + more}),
            *bins(rows[2], {60: 41_230 + more, 100: 3}),
            *bins(rows[3], {60: 7_894, 75: 6, 100: 33_333 + more}),
        ]
        return Made(
            {"pupils": pd.DataFrame(rows)},
            {"pupils": make_worst(*rows)},
            {"pupils": pd.DataFrame(distribution)},
            ingest(n, synthetic=synthetic),
        )

    return make


def drawn(tables, folder, languages=LANGUAGES, synthetic=False):
    draw_analysis(
        tables.collective["pupils"],
        tables.distribution["pupils"],
        tables.worst["pupils"],
        folder / "pupils",
        languages,
        synthetic,
    )
    return read_figures(folder, ["pupils"])


def page_of(tables, figures, languages=LANGUAGES, study=None):
    headline = study or Told("census")
    return report_pages(headline, tables, figures, languages)["index.html"]


@pytest.fixture(scope="module")
def figures(census, tmp_path_factory):
    return drawn(census(), tmp_path_factory.mktemp("figures"))


@pytest.fixture(scope="module")
def page(census, figures):
    return page_of(census(), figures)


def test_a_year_that_ends_before_december_is_named(census, figures, language, words):
    tables = replace(census(), ingest=ingest(n_months=11))
    assert words in page_of(tables, figures, [language])


def test_a_table_is_called_by_the_name_of_its_source_if_it_is_the_only_one():
    one = Headline("s", sources={"census": "inep_school_census", "own": "delimited"})
    assert about(one, ingest(), voice("pt")).startswith("Censo Escolar (INEP) 2018, ")
    two = Headline("s", sources=dict.fromkeys(("census", "b"), "inep_school_census"))
    assert about(two, ingest(), voice("en")).startswith("census 2018, 41,233 people")


def test_a_study_of_other_files_has_none_of_the_plain_names():
    census = Headline("s", sources={"a": "inep_school_census", "own": "delimited"})
    assert census.voice("en").attribute("TP_SEXO") == "sex"
    assert census.voice("en").attribute("escola") == "escola"
    own = Headline("s", sources={"own": "delimited"})
    assert own.voice("pt").attribute("TP_SEXO") == "TP_SEXO"


def test_of_many_years_that_are_not_whole_the_first_are_named():
    months = {"2018": 3, "2019": 12, "2020": None, "2021": 1, "2022": 2}
    each = [ingest(n_months=n).assign(release=name) for name, n in months.items()]
    assert partial_years(Headline("s"), pd.concat(each[1:3]), voice("pt")) == ""
    said = partial_years(Headline("s"), pd.concat(each), voice("en"))
    named = "census 2018 up to month 3; census 2021 up to month 1; 1 more."
    assert said.startswith(f"Incomplete years: {named}")


def test_columns_that_are_not_tested_are_named_of_the_last_release(language, said):
    before, last = ingest(unused="OLD"), ingest(unused="A|B|C|D|E|F|G|H")
    rows = pd.concat([before.assign(release="2017"), last])
    assert unused(Headline("s"), rows, voice(language)) == said
    assert unused(Headline("s"), ingest(), voice(language)) == ""


@pytest.mark.parametrize(
    ("name", "language"), [("reidentification", "en"), ("reidentificação", "pt")]
)
def test_an_attribute_called_reidentification_has_its_own_figures_and_identifiers(
    census, tmp_path, name, language
):
    tables = census()
    for family in (tables.collective, tables.worst, tables.distribution):
        rows = family["pupils"]
        family["pupils"] = rows.assign(sensitive=rows["sensitive"].replace("ILL", name))
    figures = drawn(tables, tmp_path, [language])
    assert {path.split(".")[0] for path in figures} == {
        f"pupils/{kind}-{subject}"
        for kind in ("distribution", "success")
        for subject in ("reidentification", f"inference-{name}")
    }
    ids = Parser(page_of(tables, figures, languages=[language])).values("id")
    assert len(ids) == len(set(ids))


def test_figures_of_another_analysis_in_the_folder_are_not_read(tmp_path):
    name = "removed/success-reidentification.en.svg"
    (tmp_path / "removed").mkdir()
    (tmp_path / name).write_text("<svg></svg>")
    assert list(read_figures(tmp_path, ["removed"])) == [name]
    assert read_figures(tmp_path, ["pupils"]) == {}


def test_a_figure_is_not_read_before_it_is_asked_for(tmp_path):
    path = tmp_path / "pupils/success-reidentification.en.svg"
    path.parent.mkdir()
    path.write_text("<svg>before</svg>")
    figures = read_figures(tmp_path, ["pupils"]) | {"states.en.svg": "<svg/>"}.items()
    path.write_text("<svg>after</svg>")
    assert dict(figures) == {
        "pupils/success-reidentification.en.svg": "<svg>after</svg>",
        "states.en.svg": "<svg/>",
    }
    assert len(figures) == 2


def test_the_page_is_balanced_html_with_unique_identifiers_and_heads_of_cells(page):
    parser = Parser(page)
    assert parser.open == []
    ids = parser.values("id")
    assert len(ids) == len(set(ids))
    scopes = {attrs.get("scope") for tag, attrs in parser.tags if tag == "th"}
    assert scopes == {"col", "colgroup", "row"}


def test_the_page_refers_to_nothing_but_itself_and_its_data(page):
    parser = Parser(page)
    assert parser.values("src") == []
    links = {link for link in parser.values("href") if not link.startswith("#")}
    assert links == {
        *("data/pupils-collective.csv", "data/pupils-worst.csv"),
        *("data/pupils-distribution.csv", "data/ingest.csv"),
    }
    anchors = {link[1:] for link in parser.values("href") if link.startswith("#")}
    assert anchors <= set(parser.values("id"))


def test_the_policy_of_the_page_allows_its_own_script_and_no_request(page):
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{digest}'",
        **{"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"},
    }


def test_two_languages_have_a_switch_and_one_has_none(page, census, figures):
    both = Parser(page)
    assert "show-pt" in both.values("id")
    assert {"pt-BR", "en"} <= set(both.values("lang"))
    one = Parser(page_of(census(), figures, languages=["en"]))
    assert "radio" not in one.values("type")
    assert set(one.values("lang")) == {"en"}


def test_the_same_tables_give_the_same_page(page, census, tmp_path):
    assert page_of(census(), drawn(census(), tmp_path)) == page


def test_markup_in_names_is_shown_as_text(census, figures):
    study = Told("<script>alert(1)</script>")
    named = page_of(census(), figures, languages=["en"], study=study)
    assert "<script>alert" not in named
    assert "&lt;script&gt;" in named


def test_both_worst_subsets_of_a_size_are_shown_and_marked_where_they_differ(
    census, figures, make_subset, make_worst
):
    tables = census()
    by_det = make_worst(make_subset("AGE", 90, 100)).iloc[[0]]
    by_prob = make_worst(make_subset("CITY", 50, 200)).iloc[[1]]
    worst = pd.concat([by_det, by_prob, make_worst(make_subset("AGE|CITY", 500, 600))])
    both = pd.concat([worst, worst.assign(sensitive="ILL", own_record=0.0)])
    page = page_of(replace(tables, worst={"pupils": both}), figures, languages=["en"])
    for code, mark in [("AGE", "deterministic"), ("CITY", "probabilistic")]:
        assert f'<code>{code}</code> <span class="mark">worst, {mark}</span>' in page


def test_the_worst_table_has_posterior_and_degradation_of_both_kinds(census, figures):
    english = page_of(census(), figures, languages=["en"])
    row = english[english.index("<code>CITY</code>") :]
    cells = re.findall(r'<td class="number[^"]*">([^<]+)<', row)[:5]
    assert cells == ["76.19%", "76.19", "85.18%", "35,123", "85.18"]


def test_a_table_without_person_identifier_warns_that_lines_are_counted(
    census, figures
):
    lines = Told("census", line_tables=frozenset({"census"}))
    page = page_of(census(), figures, languages=["en"], study=lines)
    assert "names no identifier of persons for table census" in page
    assert "of the records (" in page
    people = page_of(census(), figures, languages=["en"])
    assert "identifier of persons" not in people


def test_the_page_says_in_plain_words_what_is_known_and_what_inferred(
    census, figures, make_subset
):
    ill = {"sensitive": "ILL", "prior_count": 800}
    rows = [
        make_subset(qids, 10, 900, **more)
        for more in ({}, ill)
        for qids in ("PA_IDADE", "CITY", "PA_IDADE|CITY")
    ]
    worst = worst_of(*rows[1:3], *rows[4:])
    tables = replace(
        census(), collective={"pupils": pd.DataFrame(rows)}, worst={"pupils": worst}
    )
    page = page_of(tables, figures, languages=["en"])
    assert "may know (quasi-identifiers): age (PA_IDADE) and CITY.<br>" in page
    assert "protect (sensitive attributes): ILL.</li>" in page


def test_the_answer_holds_each_finding_with_a_link_to_its_section(page):
    answer = page[page.index('class="answer"') : page.index('class="finding"')]
    replies = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", answer, re.DOTALL)
    assert [question for question, _ in replies] == [
        *("Quem pode encontrar quem?", "O que se descobre?"),
        *("O que mudou desde a última divulgação?", "O que reduziria o risco?"),
        "Até que ponto estes números são confiáveis?",
    ]
    parser = Parser(page)
    for _, reply in replies[:2]:
        row, equation, file = re.findall(r'href="(.*?)"', reply)
        assert {row[1:], equation[1:]} <= set(parser.values("id"))
        assert file == "data/pupils-collective.csv"
    assert "não compara divulgações sucessivas" in replies[2][1]


def test_a_synthetic_release_is_said_in_banner_figures_and_metadata(
    census, page, tmp_path
):
    tables = census(synthetic="true")
    figures = drawn(tables, tmp_path / "figures", synthetic=True)
    write_report(tmp_path, Told("census"), tables, figures, LANGUAGES)
    made_up = (tmp_path / "index.html").read_text()
    assert len(MADE_UP.findall(made_up)) == 3 + 2 * len(figures)
    assert MADE_UP.findall(page) == []
    metadata = json.loads((tmp_path / "data/metadata.json").read_text())
    assert metadata["synthetic"] is True


def test_internal_tables_are_written_as_they_were_computed(census, figures, tmp_path):
    tables = census()
    write_report(tmp_path, Told("census"), tables, figures, ["en"])
    written = read_table(tmp_path / "data/pupils-collective.csv", specs()["collective"])
    assert written["n_certain"].tolist() == [7, 31_417, 3, 33_333]
    exact = tables.collective["pupils"]["posterior_prob"].tolist()
    assert written["posterior_prob"].tolist() == exact


def test_a_missing_figure_is_named(census, figures):
    missing = "pupils/success-inference-ILL.pt.svg"
    others = {name: svg for name, svg in figures.items() if name != missing}
    with pytest.raises(StudyError, match=r"lacks the figure .*-inference-ILL\.pt"):
        page_of(census(), others)
