"""What the page says of several releases: linked by person, and side by side."""

import re

import pandas as pd
import pytest

from microleak.attacks.collective.contributions import gains
from microleak.attacks.collective.report.comparison import comparison_parts
from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.contributions import years
from microleak.attacks.collective.report.drawing import figure_path, kinds
from microleak.attacks.collective.states import compare
from microleak.base.errors import StudyError
from microleak.report.texts import voice
from tests.collective_rows import bins_of, ingest_of, subset
from tests.report.made import Made, Told, write_report

ENGLISH = voice("en")
PANELS = {"": (1_440, 4_240), "2015": (12_880, 20_080), "2015|2016": (25_260, 34_370)}
"""Records singled out, and blocks, of 100,000 (shares of Nunes' Table 5.5)."""

RELEASES = {"census": ("2014", "2015", "2016", "2018", "2019")}
SERIES = {"census": [RELEASES["census"]]}
FEWER = {"linked": {"2016": ("CO_ENTIDADE",)}}
STUDY = Told("census", releases=RELEASES, fewer=FEWER)
BLANK = "<svg></svg>"
COMPARED = {f"comparison-census.{language}.svg": BLANK for language in ("pt", "en")}


def collective(**columns):
    which = {"focal": "2014", "n_records": 100_000, **columns}
    qids = "CO_ENTIDADE|TP_ETAPA_ENSINO"
    return pd.DataFrame(
        subset(qids, *counts, auxiliary=auxiliary, **which)
        for auxiliary, counts in PANELS.items()
    )


def single(focal, n_certain, n_modal, n_records=10_000, **columns):
    size = {"focal": focal, "analysis": f"pupils-{focal}", "n_records": n_records}
    row = subset("NU_ANO|TP_SEXO", n_certain, n_modal, **size, **columns)
    return pd.DataFrame([row])


def worst_of(rows):
    both = ("deterministic", "probabilistic")
    return pd.concat([rows.assign(criterion=criterion) for criterion in both])


def persons(found, n_focal=100_000):
    """How many of the focal persons each linked release has."""
    rows = pd.DataFrame(found.items(), columns=["auxiliary", "n_linked"])
    share = rows["n_linked"] / n_focal
    return rows.assign(n_focal=n_focal, share_linked=share)


FOUND = persons({"2015": 80_003, "2016": 60_000})


def said(rows, speaker, fewer=None, found=FOUND):
    given = rows, worst_of(rows), gains(rows), found
    return years(*given, scope=Scope(speaker, "person", fewer or {}))


def test_linked_releases_are_told_with_adversary_number_and_denominator(language, told):
    assert said(collective(), voice(language)).sentences == tuple(told)


def test_where_a_release_has_fewer_attributes_not_all_are_said_to_be_known_in_each(
    language, told
):
    section = said(collective(), voice(language), FEWER["linked"])
    assert told in section.sentences[0]
    assert section.is_partial


def test_the_table_says_how_many_focal_persons_each_release_has():
    found = [row[1] for row in said(collective(), ENGLISH).grid.rows]
    assert found == ["", "80.00% (80,003)", "60.00% (60,000)"]


def test_an_inference_names_what_is_inferred():
    rows = collective(sensitive="ILL", prior_count=98_000)
    certain, guess, _ = said(rows, ENGLISH).sentences
    assert "is certain of the value of “ILL” for 25.26% of the people" in certain
    assert "instead of 4.24% with release 2014 alone and 98.00% without" in guess


def test_of_a_single_further_release_it_is_not_said_that_it_adds_most():
    assert len(said(collective().iloc[:2], ENGLISH).sentences) == 2


def test_the_table_has_each_panel_with_the_gain_by_its_last_release():
    rows = [(row[0], *row[2:]) for row in said(collective(), ENGLISH).grid.rows]
    assert rows == [
        ("2014", "1.44%", "", "4.24%", ""),
        ("2014 + 2015", "12.88%", "+11.44", "20.08%", "+15.84"),
        ("2014 + 2015 + 2016", "25.26%", "+12.38", "34.37%", "+14.29"),
    ]


def compared_rows(analyses):
    shown = {str(n): rows for n, rows in enumerate(analyses)}
    table = compare(analyses, SERIES)
    return Made(shown, comparison=table)


def compared(analyses, speaker=ENGLISH, study=STUDY):
    """What is said of the one table that some analyses compare."""
    table = compared_rows(analyses)
    (part,) = comparison_parts(study.facts, table, COMPARED, speaker)
    return part


def test_two_releases_are_told_with_adversary_shares_and_denominators(
    language, sensitive, counts, said
):
    """Of records where lines count, as in the second case."""
    lines = Told("census", frozenset({"census"}), RELEASES)
    pairs = zip(("2018", "2019"), counts, strict=True)
    analyses = [single(focal, *n, sensitive=sensitive) for focal, n in pairs]
    part = compared(analyses, voice(language), lines if sensitive else STUDY)
    assert part.sentences[0].startswith(said)


def test_the_change_tells_of_facts_that_only_one_release_was_attacked_with():
    more = {"qids": "NU_DIA|NU_ANO|TP_SEXO", "n_qids": 3, "posterior_det": 0.5}
    with_day = pd.concat(
        [single("2018", 10, 20), single("2018", 10, 20).assign(**more)]
    )
    (reply,) = compared([with_day, single("2019", 10, 20)]).replies
    assert reply.text.endswith(
        "Release 2018 was also attacked with “day of the month of birth”, the other "
        "one was not: three facts find 50.00% there."
    )


def test_comparisons_with_the_last_release_stand_apart_from_the_older_ones():
    analyses = [single(focal, 10, 20) for focal in ("2016", "2018", "2019")]
    part = compared(analyses)
    latest = [e for e in part.body if e.kind == "grid"]
    (older,) = [e for e in part.body if e.kind == "folded"]
    assert [t.caption for t in latest] == ["Re-identification, 2018 → 2019"]
    assert [t.caption for t in older.body] == ["Re-identification, 2016 → 2018"]


def test_a_missing_figure_of_a_comparison_is_named():
    table = compared_rows([single(y, 10, 20) for y in ("2018", "2019")])
    with pytest.raises(StudyError, match=r"the figure comparison-census\.en\.svg"):
        list(comparison_parts(STUDY.facts, table, {}, ENGLISH))


def tables_of():
    """Tables of a study that links three releases and compares two others."""
    linked = collective()
    alone = [single(y, n, 7_000, 20_000) for y, n in [("2018", 3_003), ("2019", 3_303)]]
    by_name = {"linked": linked, "pupils-2018": alone[0], "pupils-2019": alone[1]}
    return Made(
        by_name,
        {name: worst_of(rows) for name, rows in by_name.items()},
        {name: bins_of(rows) for name, rows in by_name.items()},
        ingest_of("census", {"2014": 100_000}),
        {"linked": gains(linked)},
        compare(list(by_name.values()), SERIES),
        {"linked": persons({"2015": 80_003, "2016": 60_003})},
    )


def written(shown, folder, languages=("pt", "en")):
    """Every file of a report, by its path; its figures are empty."""
    figures = {
        figure_path(name, kind, "", language): BLANK
        for name, rows in shown.collective.items()
        for kind in kinds(rows)
        for language in languages
    }
    write_report(folder, STUDY, shown, {**figures, **COMPARED}, languages)
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_text() for p in paths}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return written(tables_of(), tmp_path_factory.mktemp("report"))


def test_the_page_tells_of_linked_releases_and_of_one_that_has_less(report):
    page = report["index.html"]
    for said in (
        "In release 2016, only these are taken to be known: school",
        "Na divulgação 2016, só se supõem conhecidos: escola",
        "2 attributes, those of them that each has",
        "os que cada divulgação vinculada tem",
        "Linked releases",
        "People of 2014 found in the last one",
        "80.00% (80,003)",
    ):
        assert said in page
    assert "in each of them" not in page
    assert "em cada uma delas" not in page


def test_the_report_has_gains_comparison_and_its_figures_beside_the_page(report):
    assert {
        *("data/linked-gain.csv", "data/comparison.csv"),
        *("figures/comparison-census.en.svg", "figures/comparison-census.pt.svg"),
    } <= set(report)
    assert "data/pupils-2018-gain.csv" not in report


def test_every_file_that_the_page_links_to_is_there(report):
    links = set(re.findall(r'href="([^#"]+)"', report["index.html"]))
    assert links == {name for name in report if name.startswith("data/")} - {
        "data/metadata.json"
    }


def test_the_answer_tells_of_linked_and_of_compared_releases(report):
    page = report["index.html"]
    english = page[page.index('<main lang="en"') :]
    answer = english[: english.index('class="finding"')]
    assert "instead of 1.44% (1,440) with release 2014 alone" in answer
    assert "with certainty in release 2018 and 16.5" in answer


def test_without_linked_or_several_releases_the_page_does_not_speak_of_them(tmp_path):
    tables = tables_of()
    alone = Made(
        *(
            {"pupils-2018": family["pupils-2018"]}
            for family in (tables.collective, tables.worst, tables.distribution)
        ),
        tables.ingest,
        comparison=tables.comparison.iloc[:0],
    )
    report = written(alone, tmp_path, languages=["en"])
    assert "comparison.csv" not in " ".join(report)
    for phrase in ("one release to the next", "each further release"):
        assert phrase not in report["index.html"]
