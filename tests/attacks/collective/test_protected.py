"""Protections beside what they are made of, and claims from values drawn anew."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.collective.report.contents import Listed, Scope
from microleak.attacks.collective.report.explorer import boxes_of
from microleak.attacks.collective.report.groups import group_parts
from microleak.attacks.collective.report.pages import (
    SHOWN,
    CertainOfRelease,
    ToldRelease,
    whole_parts,
)
from microleak.attacks.collective.states import compare
from microleak.report.answer import answer
from microleak.report.face_value import Drawn
from microleak.report.parts import Line
from microleak.report.texts import voice
from tests.attacks.collective.state_study import PROC, groups
from tests.collective_rows import bins_of, ingest_of, subset, worst_of
from tests.report.made import AnyFigure, Made, Told, report_pages

ENGLISH = voice("en")
SERIES = {"census": [["2017", "2018"]]}
MADE = [("census", "2018", "coarse"), ("census", "2018", "noisy")]
COUNTS = {"2018": 400, "coarse": 50, "noisy": 420, "2017": 390}
QIDS = {"coarse": ["AGE", "AGE|CITY"]}
ALL = ["AGE", "AGE|CITY", "AGE|CITY|SEX"]
PROTECTIONS = pd.DataFrame(
    {
        "table": "census",
        "release": ["coarse", "noisy", "noisy", "noisy"],
        "origin": "2018",
        "attribute": ["AGE", "CITY", "ILL", "INCOME"],
        "methods": ["generalise", "swap|generalise", "randomise", "randomise"],
        "parameters": ["level=1", "rate=0.1|level=1", "keep=0.9", "keep=0.9"],
        **{"n_after": 1_000, "n_changed": 9, "n_suppressed": None},
        **{"n_values_before": 9, "n_values_after": 9, "entropy_kept": 0.5},
    }
)
KNOWN = {"knowing": pd.DataFrame({"table": ["census"], "focal": ["noisy"]})}


def rows_of(focal):
    """What is found in one release, whose analysis has the name `on-RELEASE`."""
    count, row = COUNTS[focal], {"analysis": f"on-{focal}", "focal": focal}
    return [
        subset(qids, count + len(qids), count + 100, sensitive=sensitive, **row)
        for sensitive in ("", "ILL")
        for qids in QIDS.get(focal, ALL)
    ]


def made(*focal):
    """Tables of a study that attacks some releases."""
    rows = {f"on-{name}": rows_of(name) for name in focal}
    collective = {name: pd.DataFrame(each) for name, each in rows.items()}
    return Made(
        collective,
        {name: worst_of(*each) for name, each in rows.items()},
        {name: bins_of(each) for name, each in collective.items()},
        comparison=compare([*collective.values()], SERIES, MADE),
        protections=PROTECTIONS,
        ingest=ingest_of("census", {"2018": 1_000}),
    )


def chapter_of(tables, speaker=ENGLISH, **more):
    """The chapter that stands on the first page."""
    told = Told("s", releases={"census": ("2017", "2018")}, **more)
    *_, last = SHOWN.chapters(
        *(told.headline(tables), tables.tables.of_family("collective")),
        *(AnyFigure(), speaker),
    )
    return last


def part_of(chapter, anchor):
    (found,) = [part for part in chapter.parts if part.anchor == anchor]
    return found


def reply(chapter, question, speaker=ENGLISH):
    asked = speaker.say(f"answer.{question}")
    every = answer(chapter.parts, speaker).replies
    return next(each for each in every if each.question == asked)


@pytest.fixture(scope="module")
def beside():
    """Two protections, the noisy one first, and what they are made of."""
    return chapter_of(made("noisy", "2018", "coarse"))


def test_each_attack_stands_before_and_after_with_most_facts_that_all_share(beside):
    (grid,) = part_of(beside, "en-protected:census").grids
    assert [row[:2] for row in grid.rows] == [
        ("2018 → coarse", "Re-identification"),
        ("2018 → coarse", "Attribute inference: ILL"),
        ("2018 → noisy", "Re-identification"),
        ("2018 → noisy", "Attribute inference: ILL"),
    ]
    assert {row[2].names for row in grid.rows} == {("AGE", "CITY")}
    assert grid.rows[0][3:] == ("40.80%", "5.80%", "50.00%", "15.00%")
    assert [row[2].marks for row in grid.rows] == [(), ()] + 2 * [("at face value",)]


def test_protections_without_common_facts_are_shown_with_the_most_of_each():
    tables = made("noisy", "2018", "coarse")
    is_of_both = tables.comparison["qids"].isin(["AGE", "AGE|CITY"])
    is_noisy = tables.comparison["later"] == "noisy"
    left = tables.comparison[~(is_of_both & is_noisy)].reset_index(drop=True)
    chapter = chapter_of(replace(tables, comparison=left))
    (grid,) = part_of(chapter, "en-protected:census").grids
    assert [len(row[2].names) for row in grid.rows] == [2, 2, 3, 3]


def test_what_is_gained_by_leaving_out_and_what_was_drawn_is_said_above_the_table(
    beside,
):
    note, noisy = part_of(beside, "en-protected:census").sentences
    assert note.endswith("by leaving an attribute out is not in the table.")
    assert noisy == (
        "In release noisy, values of CITY were swapped between records and values of "
        "ILL were randomised: the numbers after protection count claims from the "
        "published values, which may be false of the person."
    )


def test_without_successive_releases_the_first_screen_leads_to_protections(
    language, said, section
):
    speaker = voice(language)
    found = reply(chapter_of(made("2018", "coarse"), speaker), "change", speaker)
    (link,) = found.sources
    assert (found.text, link.text) == (said, section)
    assert link.href == f"#{speaker.language}-protected:census"


def test_of_a_split_the_first_screen_says_what_it_protects_what_not_and_its_cost():
    tables = made("2017", "2018", "coarse")
    only = {"on-2017": ["SEX"], "on-coarse": ["CITY", "ILL"]}
    found = reply(chapter_of(tables, splits={"on-2018": only}), "change")
    assert found.text == (
        "Someone who knows all facts tested in a file finds with certainty 40.20% in "
        "2017 (41.20% by these facts in 2018) and 5.80% in coarse (40.80% by these "
        "facts in 2018); in 2018 it was 41.20% of the people. Of the attributes "
        "tested, only 2017 has “SEX”; only coarse has “CITY” and “ILL”. The 2 files "
        "have no common key: whoever finds a row in one does not thereby find that "
        "person's row in another. No table can be counted of what only one has by "
        "what only another has."
    )


def test_of_a_split_into_files_with_drawn_values_it_says_so():
    only = {"on-2017": ["SEX"], "on-noisy": ["CITY"]}
    tables = replace(made("2018", "2017", "noisy"), comparison=pd.DataFrame())
    found = reply(chapter_of(tables, splits={"on-2018": only}), "change")
    assert "values, which may be false of the person." in found.text


def test_who_knows_what_a_protection_drops_is_found_by_it_before_and_not_after():
    dropped = PROTECTIONS.iloc[:1].assign(attribute="SEX", methods="drop")
    tables = replace(made("2018", "coarse"), protections=dropped)
    assert reply(chapter_of(tables), "change").text.endswith(
        "Someone who knows three facts (AGE, CITY and SEX) finds 41.20% of the people "
        "(412) with certainty in release 2018, and 5.80% (58) in the protected release "
        "coarse."
    )


@pytest.mark.parametrize(
    ("focal", "said"),
    [
        (["2018", "noisy"], "with the ones they are made from."),
        (["2018"], "This page compares no successive releases of a table."),
    ],
)
def test_without_a_protection_of_values_as_they_are_no_change_is_found(focal, said):
    assert reply(chapter_of(made(*focal)), "change").text.endswith(said)


def test_what_changed_is_told_of_successive_releases_where_there_are_any():
    chapter = chapter_of(made("2017", "2018", "coarse"))
    assert "in release 2017 and 41.20% in release 2018" in reply(chapter, "change").text
    assert "coarse" not in str(part_of(chapter, "en-comparison-census"))
    last = answer(chapter.parts, ENGLISH).analyses[-1]
    assert last[0] == "census"
    assert "5.80% in release coarse" in str(last[1])


def test_the_first_screen_tells_of_releases_whose_values_are_their_own(beside):
    for question in ("find", "learn", "sure"):
        assert "noisy" not in reply(beside, question).text
    assert reply(beside, "find").sources[0].href == "#en-on-2018-0-row"


CLAIM = (
    "In release noisy, values of CITY were swapped between records: this is a claim "
    "from the published values and may be false of the person."
)


def test_where_there_is_no_other_it_says_that_its_findings_may_be_false():
    chapter = chapter_of(made("noisy"))
    assert reply(chapter, "find").text.endswith(CLAIM)
    assert "values of ILL were randomised" in reply(chapter, "learn").text


def test_further_findings_say_it_of_each_that_may_be_false(beside):
    ((name, (said,)), *_) = answer(beside.parts, ENGLISH).analyses
    assert name == "on-noisy"
    assert all(line.text.endswith("may be false of the person.") for line in said.lines)
    assert said.lines[0].text.endswith(CLAIM)


def test_a_section_says_which_values_were_drawn_and_where_more_is_known(
    language, text, unknown
):
    speaker = voice(language)
    anchor = f"{speaker.language}-on-noisy-0"
    alone = chapter_of(made("noisy"), speaker)
    assert part_of(alone, anchor).caution == Line(text + unknown)
    known = replace(made("noisy"), families={"known_protection": KNOWN})
    caution = part_of(chapter_of(known, speaker), anchor).caution
    assert (caution.text, caution.href) == (
        text,
        f"#{speaker.language}-known_protection:knowing",
    )
    assert caution.link.endswith(": knowing")


def test_sections_of_other_releases_say_nothing_of_it(beside):
    for anchor in ("en-on-2018-0", "en-on-coarse-1"):
        assert part_of(beside, anchor).caution == Line("")


def test_what_is_not_measured_names_the_release_and_all_values_that_an_attack_has(
    beside,
):
    (limit,) = beside.limits
    assert limit.text.startswith(
        "What is true of the people in release noisy is not measured by attacks on all "
        "of its records: values of CITY were swapped between records and values of ILL "
        "were randomised, and these attacks take"
    )


def test_a_release_made_of_one_with_drawn_values_has_them_too():
    later = PROTECTIONS.iloc[:1].assign(release="coarse", origin="noisy")
    rows = pd.concat([later, PROTECTIONS.iloc[1:]])
    drawn = replace(made("coarse"), protections=rows).drawn
    attributes = drawn["census", "coarse"].attributes
    assert attributes == {"swap": ("CITY",), "randomise": ("ILL",)}


def test_a_group_of_drawn_values_says_it_too():
    drawn = (Drawn("RR-2023", {"randomise": (PROC,)}, "knowing"),)
    scope = Scope(ENGLISH, "record", drawn=drawn, home="index.html")
    listed = {"severe": Listed(PROC, 2)}
    (group,) = group_parts(groups("RR-2023"), listed, scope)
    assert group.part.caution.href == "index.html#en-known_protection:knowing"
    (said,) = group.part.answer
    assert said.lines[0].text.endswith("may be false of the person.")


def release(name, share, remark=""):
    """A release, of which re-identification has a remark, if there is one."""
    found = CertainOfRelease("Re-identification", "Found", share, remark)
    learnt = CertainOfRelease("Inference", "Learnt", 0.2 + (name == "b") / 10)
    place = ("x-a", name, "t", "x", f"{name}.html", "", (), "")
    return ToldRelease(*place, findings=(found, learnt))


def test_of_many_releases_the_most_exposed_is_one_whose_values_are_its_own():
    own, drawn = release("a", 0.1), release("b", 0.9, "False?")
    (both,), (alone,) = (
        whole_parts(each, frozenset(), Told("s").facts, ENGLISH)
        for each in ([own, drawn], [drawn])
    )
    found, learnt, *_ = both.answer[0].lines
    assert found == Line("a: found.", "a.html", "Re-identification")
    # Another finding uses no drawn value.
    assert learnt.text == "b, the most exposed of 2 releases: learnt."
    (grid,) = both.grids
    assert [row[0].text for row in grid.rows] == ["a", "b (at face value)"]
    assert alone.answer[0].lines[0].text == "b: found. False?"
    assert [part.replies[0].rank for part in (both, alone)] == [0, 1]


def test_the_whole_page_has_the_section_in_its_contents_and_every_link_a_target():
    study = Told("s", releases={"census": ("2017", "2018")})
    tables = made("noisy", "2018", "coarse")
    page = report_pages(study, tables, AnyFigure(), ["en"])["index.html"]
    anchor = "en-protected:census"
    assert page.count(f'id="{anchor}"') == 1
    contents = page[page.index('<nav class="contents"') : page.index("</nav>")]
    assert f'href="#{anchor}"' in contents
    assert page.count('class="warning"') == 2
    linked = set(re.findall('href="#(.*?)"', page))
    assert linked <= set(re.findall(' id="(.*?)"', page))


def test_the_boxes_to_tick_say_it_too():
    rows = rows_of("noisy")[:3]
    drawn = (Drawn("noisy", {"swap": ("CITY",)}, ""),)
    scope = Scope(ENGLISH, "person", drawn=drawn)
    boxes = boxes_of(pd.DataFrame(rows), worst_of(*rows), [], scope)
    assert boxes.caution.startswith("In release noisy, values of CITY were swapped")
