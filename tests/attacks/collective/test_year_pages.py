"""What the page says of several releases: linked by person, and side by side."""

import re

import pandas as pd
import pytest

from microleak.attacks.collective.contributions import gains
from microleak.attacks.collective.report.comparison import comparison_parts
from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.contributions import years
from microleak.attacks.collective.states import compare
from microleak.base.errors import StudyError
from microleak.report.texts import voice
from tests.collective_rows import bins_of, ingest_of
from tests.report.made import (
    Made,
    Told,
    draw_analysis,
    draw_comparison,
    read_figures,
    write_report,
)

ENGLISH = voice("en")
PORTUGUESE = voice("pt")
PANELS = {"": (1_440, 4_240), "2015": (12_880, 20_080), "2015|2016": (25_260, 34_370)}
"""Records singled out, and blocks, of 100,000 (shares of Nunes' Table 5.5)."""

RELEASES = {"census": ("2014", "2015", "2016", "2018", "2019")}
SERIES = {"census": [RELEASES["census"]]}
FEWER = {"linked": {"2016": ("CO_ENTIDADE",)}}
STUDY = Told("census", releases=RELEASES, fewer=FEWER)
PERSON = Scope("person")


@pytest.fixture(scope="module")
def collective(make_subset):
    """Collective measures of an analysis that links releases.

    `more` is added to every count of re-identification.
    """

    def make(more=0, **columns):
        rows = []
        for auxiliary, (n_certain, n_modal) in PANELS.items():
            which = {"focal": "2014", "auxiliary": auxiliary, **columns}
            size = {"n_records": 100_000 + more}
            counts = (n_certain + more, n_modal + more)
            rows.append(
                make_subset("CO_ENTIDADE|TP_ETAPA_ENSINO", *counts, **which, **size)
            )
        return pd.DataFrame(rows)

    return make


@pytest.fixture(scope="module")
def single(make_subset):
    """Collective measures of analyses of 2018 and of 2019 alone."""

    def make(focal, n_certain, n_modal, n_records=10_000, **columns):
        size = {"focal": focal, "analysis": f"pupils-{focal}", "n_records": n_records}
        return pd.DataFrame(
            [make_subset("NU_ANO|TP_SEXO", n_certain, n_modal, **size, **columns)]
        )

    return make


def worst_of(rows):
    both = ("deterministic", "probabilistic")
    return pd.concat([rows.assign(criterion=criterion) for criterion in both])


def persons(found, n_focal=100_000):
    """How many of the focal persons each linked release has."""
    rows = pd.DataFrame(found.items(), columns=["auxiliary", "n_linked"])
    share = rows["n_linked"] / n_focal
    return rows.assign(n_focal=n_focal, share_linked=share)


FOUND = persons({"2015": 80_003, "2016": 60_000})


def said(rows, speaker, scope=PERSON, found=FOUND):
    """What is said of the releases that one subject links."""
    given = rows, worst_of(rows), gains(rows), found
    return years(*given, voice=speaker, scope=scope)


def test_linked_releases_are_told_with_adversary_number_and_denominator(
    collective, language, told
):
    assert said(collective(), voice(language)).sentences == tuple(told)


def test_where_a_release_has_fewer_attributes_not_all_are_said_to_be_known_in_each(
    collective, language, told
):
    scope = Scope("person", FEWER["linked"])
    section = said(collective(), voice(language), scope)
    assert told in section.sentences[0]
    assert section.is_partial


def test_the_table_says_how_many_focal_persons_each_release_has(collective):
    found = [row[1] for row in said(collective(), ENGLISH).grid.rows]
    assert found == ["", "80.00% (80,003)", "60.00% (60,000)"]


def test_an_inference_names_what_is_inferred(collective):
    rows = collective(sensitive="ILL", prior_count=98_000)
    certain, guess, _ = said(rows, ENGLISH).sentences
    assert "is certain of the value of “ILL” for 25.26% of the people" in certain
    assert "instead of 4.24% with release 2014 alone and 98.00% without" in guess


def test_of_a_single_further_release_it_is_not_said_that_it_adds_most(collective):
    assert len(said(collective().iloc[:2], ENGLISH).sentences) == 2


def test_the_table_has_each_panel_with_the_gain_by_its_last_release(collective):
    rows = [(row[0], *row[2:]) for row in said(collective(), ENGLISH).grid.rows]
    assert rows == [
        ("2014", "1.44%", "", "4.24%", ""),
        ("2014 + 2015", "12.88%", "+11.44", "20.08%", "+15.84"),
        ("2014 + 2015 + 2016", "25.26%", "+12.38", "34.37%", "+14.29"),
    ]


def compared_rows(analyses):
    """Comparisons of some analyses as a page has them."""
    shown = {str(n): rows for n, rows in enumerate(analyses)}
    table = compare(analyses, SERIES)
    return Made(shown, {}, {}, pd.DataFrame(), comparison=table).compared()


def compared(analyses, speaker=ENGLISH, study=STUDY):
    """What is said of the one table that some analyses compare."""
    table = compared_rows(analyses)
    figures = dict(draw_comparison(table, study.releases, ["pt", "en"], []))
    (part,) = comparison_parts(study.facts, table, figures, speaker)
    return part


def test_two_releases_are_told_with_adversary_shares_and_denominators(
    single, language, sensitive, counts, said
):
    """Of records where lines count, as in the second case."""
    lines = Told("census", frozenset({"census"}), RELEASES)
    pairs = zip(("2018", "2019"), counts, strict=True)
    analyses = [single(focal, *n, sensitive=sensitive) for focal, n in pairs]
    part = compared(analyses, voice(language), lines if sensitive else STUDY)
    assert part.sentences[0].startswith(said)


def test_comparisons_with_the_last_release_stand_apart_from_the_older_ones(single):
    analyses = [single(focal, 10, 20) for focal in ("2016", "2018", "2019")]
    part = compared(analyses)
    latest = [e for e in part.body if e.kind == "grid"]
    (older,) = [e for e in part.body if e.kind == "folded"]
    assert [t.caption for t in latest] == ["Re-identification, 2018 → 2019"]
    assert [t.caption for t in older.body] == ["Re-identification, 2016 → 2018"]


def test_a_missing_figure_of_a_comparison_is_named(single):
    table = compared_rows([single(y, 10, 20) for y in ("2018", "2019")])
    with pytest.raises(
        StudyError, match=r"lacks the figure comparison-census\.en\.svg"
    ):
        list(comparison_parts(STUDY.facts, table, {}, ENGLISH))


def tables_of(collective, single, more=0):
    """Tables of a study that links three releases and compares two others."""
    linked = collective(more)
    alone = [
        single(y, n + more, 7_000 + more, 20_000 + more)
        for y, n in [("2018", 3_003), ("2019", 3_303)]
    ]
    by_name = {"linked": linked, "pupils-2018": alone[0], "pupils-2019": alone[1]}
    bins = {name: bins_of(rows) for name, rows in by_name.items()}
    ingest = ingest_of("census", {"2014": 100_000 + more})
    return Made(
        by_name,
        {name: worst_of(rows) for name, rows in by_name.items()},
        bins,
        ingest,
        {"linked": gains(linked)},
        compare(list(by_name.values()), SERIES),
        {"linked": persons({"2015": 80_003, "2016": 60_003}, 100_000 + more)},
    )


def written(shown, folder, languages=("pt", "en")):
    """Every file of a report, by its path."""
    for name in shown.collective:
        parts = (shown.collective, shown.distribution, shown.worst)
        of_name = [family[name] for family in parts]
        draw_analysis(*of_name, folder / "figures" / name, languages, False)
    figures = read_figures(folder / "figures", shown.collective)
    figures |= dict(draw_comparison(shown.compared(), RELEASES, languages, []))
    write_report(folder / "report", STUDY, shown, figures, languages)
    paths = sorted(p for p in (folder / "report").rglob("*") if p.is_file())
    return {p.relative_to(folder / "report").as_posix(): p.read_text() for p in paths}


@pytest.fixture(scope="module")
def report(collective, single, tmp_path_factory):
    return written(tables_of(collective, single), tmp_path_factory.mktemp("report"))


def test_the_page_names_what_is_known_of_a_release_that_has_less(report):
    page = report["index.html"]
    assert "In release 2016, only these are taken to be known: school" in page
    assert "Na divulgação 2016, só se supõem conhecidos: escola" in page
    assert "in each of them" not in page
    assert "em cada uma delas" not in page
    assert "2 attributes, those of them that each has" in page
    assert "os que cada divulgação vinculada tem" in page


def test_the_page_says_how_many_focal_persons_each_linked_release_has(report):
    page = report["index.html"]
    assert "Linked releases" in page
    assert "People of 2014 found in the last one" in page
    assert "80.00% (80,003)" in page


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
    assert "are found with certainty in release 2018 and 16.5" in answer


def test_without_linked_or_several_releases_the_page_does_not_speak_of_them(
    collective, single, tmp_path
):
    tables = tables_of(collective, single)
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
