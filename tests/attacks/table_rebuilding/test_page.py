"""What the page says of tables of counts."""

from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.attacks.query_answers.publish import PUBLICATION as ANSWERS
from microleak.attacks.table_rebuilding.publish import PUBLICATION as REBUILDING
from microleak.base.files import sha256_of
from microleak.report.contents import Headline, Origin
from microleak.report.editions import edition
from microleak.report.parts import Chapter, Grid, Sentences
from microleak.report.texts import voice
from microleak.study.tables import tables as specs
from tests.attacks.table_rebuilding.shown_rows import (
    REBUILT,
    REGIONS,
    SIZES_OF_REGIONS,
)
from tests.report.made import part_with_figure


def part(regions=REGIONS, language="en"):
    tables = {
        "table_rebuilding": {"tract": regions},
        "rebuilt_cells": {"tract": REBUILT},
        "rebuilt_sizes": {"tract": SIZES_OF_REGIONS},
    }
    shown, _ = part_with_figure(
        "table_rebuilding", tables, ("census", "2018"), language
    )
    return shown


def sentences(shown):
    (found,) = (each for each in shown.body if isinstance(each, Sentences))
    return " ".join(found.texts)


def test_what_is_proved_is_told_by_the_size_of_regions():
    grids = [each for each in part().body if isinstance(each, Grid)]
    assert [*grids[0].rows] == [
        ("0–49", "2", "50", "96.00%", "90.00%", "50.00%"),
        ("50 or more", "1", "50", "10.00%", "90.00%", "50.00%"),
    ]


@pytest.mark.parametrize("publication", [REBUILDING, ANSWERS])
@pytest.mark.parametrize(("page", "n_shown"), [("", 1), ("other", 0)])
def test_files_of_published_tables_are_listed_where_data_come_from(
    tmp_path, publication, page, n_shown
):
    file = tmp_path / "a.csv"
    file.write_text("sex,count\nF,2\n\nM,1\n", encoding="utf-8")
    analysis = SimpleNamespace(tables=[SimpleNamespace(file=str(file))])
    made = SimpleNamespace(tables=None)
    by_name = {"tract": analysis, "made": made}
    analyses = dict.fromkeys(("table_rebuilding", "query_answers"), by_name)
    facts = publication.facts(SimpleNamespace(analyses=analyses), tmp_path)
    study = Headline("town", families={"some": facts, "other": {}})
    nothing = [specs()[name].frame([]) for name in ("ingest", "removed")]
    origin = Origin(*nothing, pd.DataFrame(), pd.DataFrame())
    chapter = Chapter((), frozenset(), page)
    told = edition(study, origin, [chapter], frozenset(), voice("en"))
    expected = {
        **{"table": "tract", "release": str(file), "n_read": "2"},
        **dict.fromkeys(("n_refused", "n_kept", "n_dropped", "n_records"), "–"),
        **{"synthetic": "–", "sha256": sha256_of(file)},
    }
    assert told.releases == [expected] * n_shown


def test_who_is_reidentified_is_told():
    assert (
        "People re-identified in that database by someone who knows AGE and SEX of "
        "everybody, because they are unique there and in the true records: 50; proved: "
        "26."
    ) in sentences(part())


def test_keys_that_stay_the_same_tell_who_has_left():
    shown = part(REGIONS.assign(n_differenced=7))
    assert "give away all attributes of 21 of 100 people." in sentences(shown)


@pytest.mark.parametrize(
    ("language", "heading", "said"),
    [
        (
            "en",
            "With a chance of 95.00% or more, the tables reveal 53 of 100",
            "nothing is",
        ),
        (
            "pt",
            "Com chance de 95,00% ou mais, as tabelas revelam 53 de 100",
            "nada fica",
        ),
    ],
)
def test_nothing_is_called_proved_that_has_a_chance(language, heading, said):
    shown = part(REGIONS.assign(chance=0.95), language)
    assert shown.heading.startswith(heading)
    assert said in sentences(shown)
    assert part(language=language).heading.count("53") == 1
