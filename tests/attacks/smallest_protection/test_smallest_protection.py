"""The smallest protection: its study file, words, proof and part of the page."""

import json
import re
from itertools import product

import pandas as pd
import pytest

import microleak
from microleak.attacks.smallest_protection import measure, search
from microleak.attacks.smallest_protection.analysis import Search
from microleak.attacks.smallest_protection.chooser import (
    LEFT_OUT,
    chooser,
    levels_by_qid,
)
from microleak.attacks.smallest_protection.report import shown_of
from microleak.base.errors import MicroleakError, StudyError
from microleak.report.parts import Grid
from microleak.report.texts import voice
from microleak.study.load import load_study
from microleak.study.tables import tables as specs
from microleak.tables.result import with_study
from tests.attacks.smallest_protection.shown_rows import (
    CUTS,
    MINIMALITY,
    NODES,
    WITNESSES,
)
from tests.report.made import part_with_figure
from tests.watched import steps_watched

STUDY = """\
study: search
seed: 1
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases: {{"1": {{archive: people.csv}}}}
hierarchies: {hierarchies}
analyses:
  smallest_protection:
    - {{name: one, table: people, focal: 1, qids: [age, race], {more}}}
"""
LEVELS = "{age: {widths: [5, 10]}, race: {file: race.csv}}"
TABULATIONS = "\ntabulations: [{name: t, table: people, attributes: [race, wage]}]"
PEOPLE = pd.DataFrame(
    {"age": [21, 22, 23, 31, 33], "sex": [*"FFMFM"], "ill": [*"yynyn"]}
)
OF_PEOPLE = {"age": {"widths": [10]}, "sex": {"prefixes": [1]}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.csv").write_text("a;x\nb;x\n", encoding="utf-8")
    return tmp_path


def study(folder, more, hierarchies=LEVELS):
    path = folder / "study.yaml"
    text = STUDY.format(more=more, hierarchies=hierarchies)
    path.write_text(text, encoding="utf-8")
    return load_study(path).analyses["smallest_protection"]["one"]


def test_a_search_has_the_hierarchies_of_its_qids(folder):
    analysis = study(folder, "target: {k: 3, alone: 0}, with_any: 1")
    assert analysis.hierarchies["age"].widths == (5, 10)
    assert analysis.target.text == "k:3|alone:0/1"
    assert analysis.known == ((0,), (1,))


def test_a_search_loses_least_of_tables_that_the_study_names(folder):
    """No release of the table is protected, and the tabulation is named for this."""
    more = "target: {k: 3}, loss: {total_variation: [t]}"
    analysis = study(folder, more, LEVELS + TABULATIONS)
    assert analysis.tables == (("race", "wage"),)
    assert analysis.loss_text == "total_variation:t"
    assert [*analysis.needs] == [("people", "1", ("age", "race", "wage"))]
    assert Search.model_validate(analysis.model_dump()) == analysis
    with pytest.raises(StudyError, match="people has no tabulation 'u'"):
        study(folder, "target: {k: 3}, loss: {largest_error: [u]}", LEVELS)


@pytest.mark.parametrize(
    ("more", "hierarchies", "said"),
    [
        ("target: {own_record: 0}", LEVELS, "sensitive is empty. Name the attributes"),
        ("target: {own_record: 3/2}", LEVELS, "a share above 1 in own_record"),
        ("target: {}", LEVELS, "must give at least one bound"),
        ("target: {k: 1}", LEVELS, "target.k is 1"),
        ("target: {alone: 3/2}", LEVELS, "a share above 1 in alone"),
        ("target: {certain: .1}", LEVELS, "sensitive is empty. Name the attributes"),
        ("target: {k: 2}, with_any: 3", LEVELS, "with_any is 3, and there are 2 QIDs"),
        ("target: {k: 2}", "{ages: {widths: [5]}}", "age has no hierarchy. Did you"),
        (
            "target: {k: 2}",
            "{age: {widths: [5]}, race: {file: no.csv}}",
            "race: there is no file no.csv",
        ),
    ],
)
def test_a_search_that_cannot_be_is_refused(folder, more, hierarchies, said):
    with pytest.raises(StudyError, match=said):
        study(folder, more, hierarchies)


def test_a_target_that_nothing_reaches_is_refused_with_the_best():
    with pytest.raises(MicroleakError, match="reached is k 5, certain 0\\. Correct"):
        microleak.smallest_protection(
            PEOPLE, ["age", "sex"], OF_PEOPLE, {"k": 6, "certain": 0}, sensitive=["ill"]
        )


def test_too_many_levels_and_nodes_are_refused(monkeypatch):
    many = {"age": {"widths": [2**i for i in range(1, 40)]}}
    both = {**many, "sex": many["age"]}
    people = PEOPLE.assign(sex=PEOPLE["age"])
    with pytest.raises(MicroleakError, match="have 78 levels above the values"):
        microleak.smallest_protection(people, ["age", "sex"], both, {"k": 2})
    monkeypatch.setattr(measure, "MOST_NODES", 5)
    with pytest.raises(MicroleakError, match="have 9 nodes, more than the 5"):
        microleak.smallest_protection(PEOPLE, ["age", "sex"], OF_PEOPLE, {"k": 2})


def test_a_search_of_few_people_tells_how_far_it_is_while_nodes_are_counted():
    """Not only once all nodes of a part of the people are."""
    people = pd.concat([PEOPLE] * 9)
    widths = {"age": {"widths": [2, 4, 8, 16]}, "sex": {"prefixes": [1]}}
    with steps_watched() as steps:
        microleak.smallest_protection(people, ["age", "sex"], widths, {"k": 18})
    ((total, advances),) = ((t, a) for step, t, a in steps if step == "counting nodes")
    assert sum(advances) == total
    assert max(advances) <= total / 3


def test_too_many_nodes_of_all_sets_together_are_refused(monkeypatch):
    monkeypatch.setattr(measure, "MOST_NODES", 20)
    people, of_people = PEOPLE.assign(home="a"), OF_PEOPLE | {"home": {}}
    said = "have 21 nodes, more than the 20 that can be searched. Leave out levels or "
    with pytest.raises(MicroleakError, match=said + "lower with_any"):
        microleak.smallest_protection(
            people, ["age", "sex", "home"], of_people, {"k": 2}, with_any=2
        )


def test_a_release_that_keeps_to_its_target_is_found_in_one_round(monkeypatch):
    monkeypatch.setattr(search, "EVERY", 0)
    monkeypatch.setattr(search, "ALL_TOLD", 0)
    found = microleak.smallest_protection(
        PEOPLE, ["age", "sex"], OF_PEOPLE, {"alone": 1}
    )
    (answer,) = found.smallest_protection.query("is_answer").itertuples()
    assert answer.loss == 0
    n_by_reason = found.cuts.set_index("reason")["n_nodes"]
    assert n_by_reason[n_by_reason > 0].to_dict() == {"held": 6, "coarser": 3}


def test_the_smallest_protection_of_some_of_the_qids_is_found():
    found = microleak.smallest_protection(
        PEOPLE, ["age", "sex"], OF_PEOPLE, {"k": 2}, with_any=1
    )
    answer = found.smallest_protection[found.smallest_protection["is_answer"]].iloc[0]
    # Each fact alone: two sexes of three and two; ages by tens, of three and two.
    assert (answer["left_out"], answer["levels"]) == ("", "age:width 10")
    assert found.cuts["qids"].unique().tolist() == ["age", "sex"]
    assert not found.smallest_protection["on_frontier"].any()


def part_of(nodes, language, cuts=CUTS, minimality=MINIMALITY):
    tables = {
        "smallest_protection": {"smallest": nodes},
        "witnesses": {"smallest": WITNESSES},
        "cuts": {"smallest": cuts},
        "minimality": {"smallest": minimality},
    }
    return part_with_figure("smallest_protection", tables, ("census", "2018"), language)


def test_the_part_names_the_smallest_change_what_others_bring_and_the_proof():
    told, svg = part_of(NODES, "en")
    assert told.heading == (
        "The smallest change that meets the target (at least 3 people in every "
        "block and at most 5% with a sensitive value that is certain) is to release "
        "the data with “SEX” left out and “AGE” in ranges of 5. It gives up 50.00% of "
        "the information in all the facts considered; 30.00% of the people are unique "
        "before it, nobody after it"
    )
    first, *_, inferred, proof, _, _ = told.body[0].texts
    assert first == (
        "Releasing the data with “AGE” left out, and all else as it is, leaves 1.00% "
        "of the people unique instead of 30.00%. It gives up 80.00% of the information "
        "in all the facts considered."
    )
    assert "is right for 60.00% of the people and certain for 4.00%" in inferred
    assert "In all, 6 combinations of levels are decided: 3 were tested" in proof
    singles, frontier = (each for each in told.body if isinstance(each, Grid))
    assert [cells[0] for cells in singles.rows] == [
        *("“AGE” left out", "“AGE” in ranges of 5", "“SEX” left out")
    ]
    assert frontier.rows[0][0] == "As it is"
    assert [cells[-1] for cells in frontier.rows] == ["no", "no", "no", "yes"]
    assert "SYNTHETIC" in svg
    assert "30.00% of the people are unique in the release as it is" in svg
    in_portuguese, _ = part_of(NODES, "pt")
    assert "sem “SEX” e com “AGE” em faixas de 5" in in_portuguese.heading


def test_the_part_says_what_the_choice_gives_away():
    *_, choice, unmeasured = part_of(NODES, "en")[0].body[0].texts
    assert choice == (
        "The choice of this change tells something more to someone who knows the "
        "target and the frequency of each combination of facts: releasing the data "
        "with “SEX” left out was not enough. With this, “ILL” is certain for 6.00% of "
        "the people (4.00% without it), and the best guess is right for 65.00% "
        "(60.00% without it); for 15.00% of the people, what is believed changes by at "
        "least 5 percentage points."
    )
    assert unmeasured.endswith(
        "1 of 2 pairs of a finer combination and a sensitive attribute."
    )
    little = MINIMALITY[:1].assign(n_certain_after=8, n_moved=0)
    assert "next to nothing more about “ILL”" in last_text(little)
    assert "tells nothing more about sensitive values" in last_text(MINIMALITY[:0])
    of_qids = NODES.assign(target="k:3")
    assert "choice" not in part_of(of_qids, "en")[0].body[0].texts[-1]


def last_text(minimality):
    return part_of(NODES, "en", minimality=minimality)[0].body[0].texts[-1]


def test_the_part_says_how_many_nodes_were_left_open_as_they_lose_more():
    cuts = CUTS.assign(reason=CUTS["reason"].replace("coarser", "dearer"))
    *_, proof, left_open, _, _ = part_of(NODES, "en", cuts)[0].body[0].texts
    assert "In all, 5 combinations of levels are decided: 3 were tested" in proof
    assert "of the combinations that were tested" in str(part_of(NODES, "en", cuts))
    assert left_open.endswith("the smallest change were left open (1).")


def test_the_first_screen_tells_the_information_whatever_the_search_loses_least_of():
    moved = NODES.assign(loss_of="regression:wage|SEX", loss=1.5 * NODES["loss"])
    (reply,) = part_of(moved, "en")[0].replies
    assert (
        "gives up 50.00% of the information in all the facts considered" in reply.text
    )
    assert reply.text.endswith(
        "It changes a coefficient of the regression (of wage, SEX) by up to 0.7500 "
        "standard deviations."
    )


def test_the_part_names_the_tables_that_each_change_and_the_answer_change():
    moved = {"AGE": "", "AGE:width 5": "ages:0.125", "SEX": "ages:0.25|both:0.5"}
    changed = [
        moved.get(f"{row.left_out}{row.levels}", "both:0.5" if row.is_answer else "")
        for row in NODES.replace(
            {"is_answer": {"true": True, "false": False}}
        ).itertuples()
    ]
    told, _ = part_of(NODES.assign(tables_changed=changed), "en")
    first, second, third, answer, *_ = told.body[0].texts
    assert first.endswith("No table that the study names changes.")
    assert second.endswith(
        "The tables that change: ages (12.50% of the records in wrong cells)."
    )
    assert third.endswith(
        "The tables that change: ages (25.00% of the records in wrong cells) and both "
        "(50.00% of the records in wrong cells)."
    )
    assert answer == (
        "The smallest change changes these tables: both (50.00% of the records in "
        "wrong cells)."
    )
    singles, frontier = (each for each in told.body if isinstance(each, Grid))
    assert [row[-1] for row in singles.rows] == ["", "ages", "ages, both"]
    assert len(frontier.rows[0]) == len(singles.rows[0]) - 1


def test_a_regression_is_chosen_by_in_standard_deviations():
    """Not in points of a share, as the proof tells it."""
    found = microleak.smallest_protection(
        pd.DataFrame(PEOPLE).assign(wage=["10", "20", "25", "31", "18"]),
        ["age", "sex"],
        OF_PEOPLE,
        {"k": 2},
        loss={"regression": {"outcome": "wage", "on": ["age"]}},
    )
    spec = specs()["smallest_protection"]
    nodes = with_study(found.smallest_protection, spec, analysis="one")
    shown, spoken = shown_of(nodes, found.cuts), voice("en")
    (filled,) = chooser(shown.nodes, shown.inferred, "", lambda n, _: n, spoken)
    told = json.loads(re.search(r'json">(.*?)</script>', filled.html)[1])
    losses = [float(row[0]) for row in told]
    expected = [float(spoken.numbers.ratio(each)) for each in shown.nodes["loss"]]
    assert sorted(losses) == sorted(expected) and max(losses) > 0


def test_every_combination_of_levels_can_be_chosen_where_all_are_told():
    """Levels as the study has them; numbers in the order of the levels."""
    found = microleak.smallest_protection(
        PEOPLE, ["age", "sex"], OF_PEOPLE, {"k": 2}, sensitive=["ill"]
    )
    spec = specs()["smallest_protection"]
    shown = shown_of(
        with_study(found.smallest_protection, spec, analysis="one"), found.cuts
    )
    assert levels_by_qid(shown.nodes) == {
        "age": ("", "width 10", LEFT_OUT),
        "sex": ("", "prefix 1", LEFT_OUT),
    }

    def say(name, level):
        return f"{name} {level}"

    spoken = voice("en")
    (filled,) = chooser(shown.nodes, shown.inferred, "here", say, spoken)
    text = re.search(r'json">(.*?)</script>', filled.html)[1]
    told = json.loads(text)
    for place, (age, sex) in enumerate(product(range(3), range(3))):
        keys = [
            ((a, a // 10, None)[age], (s, s, None)[sex])
            for a, s in zip(PEOPLE["age"], PEOPLE["sex"], strict=True)
        ]
        alone = sum(keys.count(key) == 1 for key in keys)
        smallest = min(keys.count(key) for key in keys)
        assert told[place][1] == spoken.numbers.share(alone / 5)
        assert told[place][3] == str(smallest)
        assert len(told[place]) == 7
    fewer = shown.nodes.iloc[:-1]
    assert not [*chooser(fewer, shown.inferred, "here", say, spoken)]


def test_a_release_that_keeps_to_the_target_is_told_so():
    nodes = NODES[NODES["n_changed"] == 0].assign(is_answer="true", n_known=1)
    told, _ = part_of(nodes, "en")
    assert told.heading.startswith("The release meets the target (at least 3 people")
    assert "certain, by any one of the facts) as it is" in told.heading
