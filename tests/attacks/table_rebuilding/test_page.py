"""What the page says of tables of counts."""

from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.attacks.query_answers.jobs import PUBLICATION as ANSWERS
from microleak.attacks.table_rebuilding.jobs import PUBLICATION as REBUILDING
from microleak.base.files import sha256_of
from microleak.report.contents import Headline, Origin
from microleak.report.editions import edition
from microleak.report.parts import Chapter, Grid, Sentences
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from microleak.tables.rows import as_table
from tests.attacks.table_rebuilding.shown_rows import EXAMPLES, REGIONS
from tests.report.made import draw_families, family_parts, part_with_figure


def part(regions=REGIONS, language="en"):
    each = EXAMPLES["tract"] | {"table_rebuilding": regions}
    tables = {kind: {"tract": rows} for kind, rows in each.items()}
    release = "census", "2018"
    return part_with_figure("table_rebuilding", tables, release, language)[0]


def sentences(shown):
    (found,) = (each for each in shown.body if isinstance(each, Sentences))
    return " ".join(found.texts)


def test_cells_that_are_proved_to_be_empty_are_told_of(language, records, empty):
    assert records in sentences(part(language=language))
    assert empty in sentences(part(language=language))


def test_what_is_proved_is_told_by_the_size_of_regions():
    grids = [each for each in part().body if isinstance(each, Grid)]
    assert [*grids[0].rows] == [
        ("0–49", "2", "50", "96.00%", "90.00%", "20.00%", "50.00%", "10.00%"),
        ("50 or more", "1", "50", "10.00%", "90.00%", "20.00%", "50.00%", "10.00%"),
    ]
    assert grids[0].over == (("Rebuilt correctly", 2), ("Re-identified", 2))
    assert grids[0].headings[4:] == ("From tables", "By a guess") * 2


def test_proved_records_are_told_of_by_their_number(language, n_proved, heading):
    proved = [n_proved, *[0] * (len(REGIONS) - 1)]
    rows = REGIONS.assign(n_records=float("nan"), n_records_proved=proved)
    assert part(rows, language).heading == heading


@pytest.mark.parametrize("publication", [REBUILDING, ANSWERS])
@pytest.mark.parametrize(("page", "n_shown"), [("", 1), ("other", 0)])
def test_files_of_published_tables_are_listed(tmp_path, publication, page, n_shown):
    file = tmp_path / "a.csv"
    file.write_text("sex,count\nF,2\nM,1\n", encoding="utf-8")
    analysis = SimpleNamespace(tables=[SimpleNamespace(file=str(file))])
    made = SimpleNamespace(tables=None)
    by_name = {"tract": analysis, "made": made}
    analyses = dict.fromkeys(("table_rebuilding", "query_answers"), by_name)
    facts = publication.facts(SimpleNamespace(analyses=analyses), tmp_path)
    study = Headline("town", families={"some": facts, "other": {}})
    nothing = [as_table(specs()[name], []) for name in ("ingest", "removed")]
    origin = Origin(*nothing, pd.DataFrame(), pd.DataFrame())
    chapter = Chapter((), frozenset(), page)
    told = edition(study, origin, [chapter], frozenset(), voice("en"))
    assert len(told.releases) == n_shown
    for each in told.releases:
        found = [each[key] for key in ("table", "release", "n_read", "sha256")]
        assert found == ["tract", str(file), "2", sha256_of(file)]
        assert each["n_records"] == "–"


def test_who_is_reidentified_and_what_is_right_is_compared_with_a_guess():
    for said in (
        "People re-identified in that database by someone who knows AGE and SEX of "
        "everybody, because they are unique there and in the true records: 50; proved: "
        "26.",
        "By comparison, someone who knows AGE and SEX of everybody, and otherwise "
        "guesses the most frequent combination in the region, has 20 of the true "
        "records right, and re-identifies 10 people.",
    ):
        assert said in sentences(part())
    shown = part(REGIONS.assign(n_differenced=7))
    assert "give away all attributes of 21 of 100 people." in sentences(shown)
    unknown = dict.fromkeys(["n_reidentified", "n_reidentified_guessed"], float("nan"))
    assert (
        "By comparison, a guess that gives everybody the most frequent combination of "
        "values in their region has 20 of the true records."
    ) in sentences(part(REGIONS.assign(known="", **unknown)))


def parts(*changes, language="en"):
    """Parts of analyses that differ so from the one that is shown."""
    rows = {f"tract-{n}": REGIONS.assign(**each) for n, each in enumerate(changes)}
    same = {kind: dict.fromkeys(rows, each) for kind, each in EXAMPLES["tract"].items()}
    families = same | {"table_rebuilding": rows}
    figures = dict(draw_families(families, [language]))
    return [*family_parts(families, figures, voice(language))]


def captions_and_rows(*changes, language="en"):
    return [
        {grid.caption: grid.rows for grid in each.grids}
        for each in parts(*changes, language=language)
    ]


ROUNDED = {"method": "random_round", "parameters": "base=5", "n_right": 10}
NOISY = {"method": "geometric", "parameters": "epsilon=ln 2|times=3", "chance": 0.95}


def test_protections_of_the_same_tables_are_compared_once(language, caption, labels):
    first, *others = captions_and_rows({}, ROUNDED, NOISY, language=language)
    assert [row[0] for row in first[caption]] == labels
    assert not any(caption in each for each in others)


def test_what_other_protection_leaves_is_told_where_it_is_compared():
    """As shares of all records; a whole number is an epsilon as any other."""
    whole = NOISY | {"parameters": "epsilon=2|times=3"}
    first, *_ = captions_and_rows({}, ROUNDED, whole)
    rows = next(iter(first.values()))
    assert "epsilon 2 " in rows[2][0]
    assert [rows[n][1:] for n in (0, 1, 3)] == [
        ("90.00%", "53.00%", "50.00%", "26.00%"),
        ("30.00%", "53.00%", "50.00%", "26.00%"),
        ("20.00%", "–", "10.00%", "–"),
    ]
    first, *others = map(sentences, parts({}, ROUNDED, ROUNDED | {"n_right": 20}))
    assert (
        "Under other protection (see the table below), from 30.00% to 60.00% of the "
        "records can be rebuilt correctly from the same tables."
    ) in first
    assert not any("Under other protection" in each for each in others)


@pytest.mark.parametrize(
    "change", [{"focal": "2019"}, {"crossings": "AGE, SEX"}, {"known": ""}]
)
def test_other_tables_are_not_compared(change):
    captions = {caption for each in captions_and_rows({}, change) for caption in each}
    assert not any("under each protection" in caption for caption in captions)


def test_nothing_is_called_proved_that_has_a_chance(language, heading, said):
    shown = part(REGIONS.assign(chance=0.95), language)
    assert shown.heading.startswith(heading)
    assert said in sentences(shown)
    assert part(language=language).heading.count("53") == 1
