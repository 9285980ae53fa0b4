import json

import pandas as pd
import pytest

from microleak.columns import MEMBERSHIP
from microleak.figures.tables import read_measures
from microleak.files import write_text
from microleak.study.disclosure import publish
from microleak.study.model import Collective, Group, Release, Study, Table
from microleak.study.pages import linked_persons, write_page
from microleak.study.published_importance import published_importance
from microleak.study.published_releases import LINKED
from microleak.study.removed import REMOVED
from microleak.study.samples import Membership, TableRelease
from microleak.study.tables import write_csv
from tests.report.state_study import (
    PROC,
    TABLE,
    blank_figures,
    collective,
    tables_of,
)
from tests.study.test_published_samples import CLEAR, overlap, presence, uniques

RELEASES = ("RR-2023",)


def test_linked_persons_are_counted_as_the_receipts_of_the_panels_do(tmp_path):
    folder = tmp_path / "panels/census/2014"
    folder.mkdir(parents=True)
    for release, n_linked in [("2015", 6), ("2013", 4)]:
        counts = {"n_auxiliary": 9, "n_focal": 8, "n_linked": n_linked}
        (folder / f"{release}.json").write_text(json.dumps(counts))
    analysis = Collective(
        "pupils", "census", "2014", ("AGE",), (), "all", ("2015", "2013")
    )
    found = linked_persons(tmp_path, analysis)
    assert list(found.columns) == [*LINKED]
    assert found.to_numpy().tolist() == [["2015", 8, 6, 0.75], ["2013", 8, 4, 0.5]]


def study_for(audience, membership):
    """A study of one state, whose one analysis is part of one of many."""
    analysis = Collective(
        name="lines-RR-2023",
        table=TABLE,
        focal="RR-2023",
        qids=("PA_IDADE", "PA_CODUNI"),
        sensitive=(PROC,),
        wanted="all",
        groups=(Group("severe", PROC, ("0304*", "0703060080")),),
        part_of="lines",
    )
    release = Release("RR-2023", "RR", None, None, None, None)
    return Study(
        name="demo",
        seed=1,
        tables={TABLE: Table(TABLE, "datasus_sia_pa", {}, 0, {"RR-2023": release})},
        collective={analysis.name: analysis},
        targets={},
        membership=membership,
        languages=("en",),
        audience=audience,
    )


@pytest.fixture
def written(tmp_path):
    """Write the report of a study from its measures and empty drawings."""

    def write(audience, membership=()):
        tables = tables_of(RELEASES)
        families = ("collective", "worst", "distribution", "importance", "groups")
        for family in families:
            for name, rows in getattr(tables, family).items():
                write_csv(tmp_path / f"measures/{family}/{name}.csv", rows)
        for name in ("ingest", "comparison", "states", "explained"):
            write_csv(tmp_path / f"measures/{name}.csv", getattr(tables, name))
        removed = pd.DataFrame(columns=[*REMOVED])
        write_csv(tmp_path / "measures/removed.csv", removed)
        for path, svg in blank_figures(tables, ["en"], audience).items():
            write_text(tmp_path / "figures" / path, svg)
        write_page(study_for(audience, dict(membership)), tmp_path)
        return tmp_path / "report"

    return write


def write_membership(folder):
    """Measures of 200 sampled persons, 9 of them alone in both tables."""
    row = overlap() | CLEAR | {"n_unique_both": 9}
    tables = {
        "membership": pd.DataFrame([row], columns=[*MEMBERSHIP]),
        "presence": presence({0: 191, 100: 9}),
        "uniques": uniques(f1=9, f2=31, f0=10),
    }
    for name, rows in tables.items():
        write_csv(folder / f"measures/{name}/who.csv", rows)


def test_persons_of_a_sample_are_published_beside_their_measures(written, tmp_path):
    write_membership(tmp_path)
    side = TableRelease(TABLE, "RR-2023")
    who = {"who": Membership("who", side, side, ("AGE",), "all")}
    shown = read_measures(written("public", who) / "data/who-uniques.csv")
    assert shown["n_sample_unique"].isna().all()
    assert set(shown["suppressed"]) == {"n_sample_unique"}


def test_what_the_public_sees_an_attribute_bring_follows_from_published_shares(written):
    shown = read_measures(written("public") / "data/lines-RR-2023-importance.csv")
    expected = published_importance(publish(collective("RR-2023"), "public"))
    pd.testing.assert_frame_equal(shown, expected, check_dtype=False)


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_pages_say_what_a_group_is_and_that_lines_are_counted(written, audience):
    page = (written(audience) / "lines-RR-2023.html").read_text("utf-8")
    assert "by 2 values or beginnings of values of the attribute procedure" in page
    assert "names no identifier of persons for table sia_pa" in page
    assert "0304" not in page
