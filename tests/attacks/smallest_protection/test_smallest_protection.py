"""The smallest protection: its study file, words, proof and part of the page."""

import base64
import json
import re
from collections import defaultdict
from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml

import microleak
from microleak.attacks.smallest_protection import measure, search
from microleak.attacks.smallest_protection.chooser import chooser
from microleak.attacks.smallest_protection.section import Search
from microleak.attacks.smallest_protection.shown import (
    LEFT_OUT,
    levels_by_qid,
    shown_of,
)
from microleak.base.errors import MicroleakError, StudyError
from microleak.report.parts import Folded, Grid
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from microleak.tables.result import with_study
from tests.attacks.smallest_protection.shown_rows import (
    EXAMPLES,
    EXPOSED,
    LATTICE,
    MINIMALITY,
    NODES,
    WITNESSES,
)
from tests.report.made import part_with_figure
from tests.study_file import given
from tests.watched import steps_watched

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
    more = f"focal: 1, qids: [age, race], {more}"
    found = given.study(
        folder, "smallest_protection", more, further=f"hierarchies: {hierarchies}"
    )
    return found.analyses["smallest_protection"]["one"]


def searched(target, **more):
    return microleak.smallest_protection(
        PEOPLE, [*OF_PEOPLE], OF_PEOPLE, target, **more
    )


def test_a_search_loses_least_of_tables_that_the_study_names(folder):
    """No release of the table is protected, and the tabulation is named for this."""
    more = "target: {k: 3}, loss: {total_variation: [t]}"
    analysis = study(folder, more, LEVELS + TABULATIONS)
    assert analysis.tables == (("race", "wage"),)
    assert analysis.loss_text == "total_variation:t"
    assert [*analysis.needs] == [("people", "1", ("age", "race", "wage"))]
    assert Search.model_validate(analysis.model_dump()) == analysis
    with pytest.raises(StudyError, match=r"tabulation 'u'\. Name those of"):
        study(folder, "target: {k: 3}, loss: {largest_error: [u]}", LEVELS)


def test_a_search_that_cannot_be_is_refused(folder, more, hierarchies, said):
    with pytest.raises(StudyError, match=said):
        study(folder, more, hierarchies or LEVELS)


def test_a_target_that_nothing_reaches_is_refused_with_what_is_missed(target, missed):
    with pytest.raises(MicroleakError) as error:
        searched(target, sensitive=["ill"])
    assert str(error.value) == (
        "smallest_protection: no combination of levels keeps to target. It cannot "
        f"reach {missed}. Correct this in target."
    )


def test_too_many_levels_and_nodes_are_refused(monkeypatch):
    many = {"age": {"widths": [2**i for i in range(1, 40)]}}
    both = {**many, "sex": many["age"]}
    people = PEOPLE.assign(sex=PEOPLE["age"])
    with pytest.raises(MicroleakError, match="have 78 levels above the values"):
        microleak.smallest_protection(people, ["age", "sex"], both, {"k": 2})
    monkeypatch.setattr(measure, "MOST_NODES", 5)
    with pytest.raises(MicroleakError, match="have 9 combinations of levels, more"):
        searched({"k": 2})


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
    said = "have 21 combinations of levels, more than the 20 .* Leave out levels or "
    with pytest.raises(MicroleakError, match=said + "lower with_any"):
        microleak.smallest_protection(
            people, ["age", "sex", "home"], of_people, {"k": 2}, with_any=2
        )


def test_the_smallest_protection_of_some_of_the_qids_is_found():
    found = searched({"k": 2}, with_any=1)
    answer = found.smallest_protection[found.smallest_protection["is_answer"]].iloc[0]
    # Each fact alone: two sexes of three and two; ages by tens, of three and two.
    assert (answer["left_out"], answer["levels"]) == ("", "age:width 10")
    assert found.cuts["qids"].unique().tolist() == ["age", "sex"]
    on_frontier = found.smallest_protection.query("on_frontier")
    assert on_frontier["n_alone"].tolist() == [5, 3, 0]


def part_of(nodes, language, facts=None, **others):
    each = EXAMPLES["smallest"] | {"smallest_protection": nodes, "exposed": EXPOSED[:0]}
    tables = {kind: {"smallest": rows} for kind, rows in (each | others).items()}
    release = "census", "2018"
    return part_with_figure("smallest_protection", tables, release, language, facts)


def test_the_part_names_the_smallest_change_what_others_bring_and_the_proof():
    told, svg = part_of(NODES, "en")
    assert told.heading == "The smallest change that keeps to the risk limit"
    first, second, *_, inferred, proof, _, _ = told.body[0].texts
    assert first == (
        "The risk limit in the study file: at least 3 people in every block and at "
        "most 5% with a sensitive value that is certain. The smallest change that "
        "keeps to it is to release the data with “SEX” left out and “AGE” in ranges of "
        "5; then, against someone who knows two facts (SEX and AGE), every block has "
        "at least 4 people (before: 1), the value of “ILL”, common ones included, is "
        "certain for 4.00% of the people "
        "(before: 4.00%) and nobody is unique (before: 30.00%)."
    )
    assert second == (
        "Releasing the data with “AGE” left out, and all else as it is, leaves 1.00% "
        "of the people unique instead of 30.00%. It gives up 80.00% of the detail in "
        "these facts."
    )
    assert "is right for 60.00% of the people and certain for 4.00%" in inferred
    assert "In all, 6 combinations of levels are decided: 3 were tested" in proof
    singles, frontier = (each for each in told.body if isinstance(each, Grid))
    assert [cells[0] for cells in singles.rows] == [
        *("“AGE” left out", "“AGE” in ranges of 5", "“SEX” left out")
    ]
    assert frontier.rows[0][0] == "As it is"
    assert [cells[-1] for cells in frontier.rows] == ["no", "no", "no", "yes"]
    assert "certain: 4.00%, before 4.00%. The smallest change that keeps" in svg
    in_portuguese, _ = part_of(NODES, "pt")
    assert "sem “SEX” e com “AGE” em faixas de 5" in in_portuguese.body[0].texts[0]


def test_the_part_says_what_the_choice_gives_away():
    *_, choice, unmeasured = part_of(NODES, "en")[0].body[0].texts
    assert choice == (
        "The choice of this change tells something more to someone who knows the "
        "risk limit and the frequency of each combination of facts: releasing the data "
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


def test_the_first_screen_tells_what_the_search_loses_least_of():
    moved = NODES.assign(loss_of="regression:wage|SEX", loss=1.5 * NODES["loss"])
    (reply,) = part_of(moved, "en")[0].replies
    assert (
        "; the change moves a coefficient of the regression (of wage, SEX) by up to "
        "0.7500 standard deviations, and none of the 6 possible combinations"
    ) in reply.text


def test_the_part_names_the_tables_that_each_change_and_the_answer_change():
    moved = {"AGE": "", "AGE:width 5": "ages:0.125", "SEX": "ages:0.25|both:0.5"}
    changed = [
        moved.get(f"{row.left_out}{row.levels}", "both:0.5" if row.is_answer else "")
        for row in NODES.replace(
            {"is_answer": {"true": True, "false": False}}
        ).itertuples()
    ]
    told, _ = part_of(NODES.assign(tables_changed=changed), "en")
    _, first, second, third, answer, *_ = told.body[0].texts
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


def told_of(found):
    """The tables of a result of the function, as a study has them."""
    for name in ("smallest_protection", "cuts", "lattice", "minimality"):
        yield with_study(getattr(found, name), specs()[name], analysis="one")


def test_of_an_attribute_of_many_values_the_most_exposed_are_told():
    """Those of age 1 have the rare one, all others are in one block."""
    people = pd.DataFrame(
        {
            "age": [1] * 5 + [2] * 72,
            "ill": ["rare"] * 5 + [f"C{n % 12}" for n in range(72)],
        }
    )
    found = microleak.smallest_protection(
        people, ["age"], {"age": {}}, {"certain": 0}, sensitive=["ill"]
    )
    rows = found.exposed[["value", "n_members", "n_certain"]]
    assert rows.to_numpy().tolist() == [["rare", 5, 5], ["rare", 5, 0]]


def chosen_from(found):
    """The choices of a result of the function, and its columns by node."""
    shown = shown_of(*told_of(found))
    filled = chooser(shown, "here", voice("en"))
    texts = json.loads(re.search(r'json">(.*?)</script>', filled.html)[1])
    (places,) = map(json.loads, filled.data.values())
    told = [*map(texts_of, (each.split("|") for each in texts), places)]
    return shown, filled.html, told


def texts_of(texts, places):
    """The text of each node, as the script of the page finds it."""
    width = "u1" if len(texts) <= 256 else "<u2"
    stored = np.frombuffer(base64.b64decode(places), width)
    return [texts[place] for place in stored]


@pytest.mark.parametrize("n_told", [0, 2_000])
def test_every_combination_of_levels_can_be_chosen(monkeypatch, n_told):
    """Levels as the study has them; numbers in the order of the levels."""
    monkeypatch.setattr(search, "ALL_TOLD", n_told)
    found = searched({"k": 2}, sensitive=["ill"])
    shown, html, columns = chosen_from(found)
    assert levels_by_qid(shown.nodes) == {
        "age": ("", "width 10", LEFT_OUT),
        "sex": ("", "prefix 1", LEFT_OUT),
    }
    assert "“sex” by its first character<" in html
    for place, (age, sex) in enumerate(product(range(3), range(3))):
        keys = [
            ((a, a // 10, None)[age], (s, s, None)[sex])
            for a, s in zip(PEOPLE["age"], PEOPLE["sex"], strict=True)
        ]
        alone = sum(keys.count(key) == 1 for key in keys)
        smallest = min(keys.count(key) for key in keys)
        assert columns[1][place] == voice("en").numbers.share(alone / 5)
        assert columns[3][place] == str(smallest)
        assert columns[4][place] == ("yes" if smallest >= 2 else "no")
        ills = defaultdict(set)
        for key, ill in zip(keys, PEOPLE["ill"], strict=True):
            ills[key].add(ill)
        certain = sum(len(ills[key]) == 1 for key in keys)
        assert columns[5][place] == voice("en").numbers.share(certain / 5)
    assert len(columns) == 7


def test_nodes_left_open_are_told_so_and_none_of_a_large_lattice(monkeypatch):
    rng = np.random.default_rng(1)
    values = {"age": range(20, 40), "sex": [*"FM"], "ill": [*"yn"], "town": [*"abcd"]}
    people = pd.DataFrame({name: rng.choice(v, 60) for name, v in values.items()})
    levels = {"age": {"widths": [5, 10]}, "sex": {}, "town": {}}
    monkeypatch.setattr(search, "ALL_TOLD", 0)
    found = microleak.smallest_protection(
        people, [*levels], levels, {"own_record": 0}, sensitive=["ill"]
    )
    n_open = found.cuts.query("reason == 'dearer'")["n_nodes"].sum()
    assert found.lattice["holds"].isna().sum() == 2 * n_open > 0
    assert chosen_from(found)[2][4].count("not decided") == n_open
    monkeypatch.setattr(measure, "EVERY", 8)
    found = searched({"k": 2})
    assert found.lattice.empty
    none, _ = part_of(NODES, "en", lattice=LATTICE.iloc[:0])
    assert "the levels have more than 30,000 combinations" in str(none.body)


def test_the_reply_tells_what_the_target_bounds_and_what_it_leaves(target, said):
    n_certain = NODES["n_certain"].where(NODES["sensitive"] == "", 60)
    nodes = NODES.assign(target=target, n_certain=n_certain)
    is_last = (LATTICE["node"] == 5) & (LATTICE["sensitive"] == "ILL")
    right = LATTICE["posterior_prob"].where(~is_last, 0.4)
    lattice, deciding = LATTICE.assign(posterior_prob=right), WITNESSES.reindex([0])
    made, _ = part_of(nodes, "en", lattice=lattice, witnesses=deciding)
    (reply,) = made.replies
    assert said in reply.text
    assert reply.sources[-1].href == "data/smallest-witnesses.csv"


def test_the_reply_tells_of_how_many_who_have_a_value_it_stays_certain(language, said):
    """Of the value with the largest share exposed by the release as it is."""
    nodes = NODES.assign(target="k:3")
    made, _ = part_of(nodes, language, exposed=EXPOSED)
    assert made.replies[0].text.endswith(said)
    (grid,) = (e for e in made.body if isinstance(e, Grid) and len(e.headings) == 4)
    assert [cells[1:] for cells in grid.rows] == [
        *(("1", "1", "0"), ("40", "12", "0"), ("30", "20", "4"))
    ]


def test_the_reply_tells_that_nobody_who_has_a_value_stays_exposed(n_members, said):
    of_value = EXPOSED[EXPOSED["value"] == "flu"].assign(n_members=n_members)
    made, _ = part_of(NODES.assign(target="k:3|certain:1/20"), "en", exposed=of_value)
    assert said in made.replies[0].text
    assert "target does not bound" not in made.replies[0].text


def test_the_reply_names_the_adversary_of_the_facts_searched(qids, language, said):
    labels = {"en": "a neighbour", "pt": "um vizinho"}
    facts = {"adversaries": [{"qids": ["AGE"], "labels": {}}]}
    facts["adversaries"].append({"qids": qids, "labels": labels})
    made, _ = part_of(NODES, language, exposed=EXPOSED, facts=facts)
    assert said in made.replies[0].text


def test_the_reply_names_the_release_that_has_the_change(levels, dropped, is_told):
    made = {"safe": {"levels": levels, "dropped": dropped}}
    told, _ = part_of(NODES, "en", facts={"made": {"smallest": made}})
    said = "The protected release “safe” of this study already has this change."
    assert (said in told.body[0].texts) == is_told


def test_a_target_that_is_an_example_brings_no_verdict(language, n_changed, said):
    nodes = NODES.assign(target="k:3")
    if not n_changed:
        nodes = nodes[nodes["n_changed"] == 0].assign(is_answer="true")
    told, _ = part_of(nodes, language, facts={"examples": ["smallest"]})
    assert told.replies[0].text.startswith(said)


def test_the_cost_is_told_in_tables(compared, said):
    changed = NODES["is_answer"].map({"true": "both:0.5|ages:0.125", "false": ""})
    nodes = NODES.assign(tables_changed=changed if "both" in compared else "")
    told, _ = part_of(nodes, "en", facts={"compared": {"smallest": compared}})
    assert said in told.replies[0].text


def test_a_release_that_keeps_to_the_target_is_told_so_and_who_is_exposed_in_it():
    nodes = NODES[NODES["n_changed"] == 0].assign(is_answer="true")
    told, _ = part_of(nodes.assign(n_known=1), "en")
    assert told.heading == "The release keeps to the risk limit as it is"
    assert "certain, by any one of the facts. In the release" in told.body[0].texts[0]
    as_it_is = EXPOSED[:3].assign(is_answer="true")
    made, _ = part_of(nodes.assign(target="k:1"), "en", exposed=as_it_is)
    said = "The value is certain for 20 of the 30 people with the value “cold” of “ILL”"
    assert said in made.replies[0].text
    assert "before" not in made.replies[0].text


def test_the_page_has_what_makes_the_answer_a_release():
    made, _ = part_of(NODES, "en")
    (folded,) = (each for each in made.body if isinstance(each, Folded))
    section, then = folded.body
    steps = [{"generalise": {"AGE": 1}}, {"drop": ["SEX"]}]
    protection = {"table": "census", "release": "2018", "steps": steps}
    protection["attributes"] = ["ILL"]
    after = {"name": "smallest-after", "table": "census", "qids": ["AGE"]}
    after |= {"focal": "smallest-protected", "sensitive": ["ILL"]}
    assert yaml.safe_load(section.text) == {
        "protections": {"smallest-protected": protection},
        "analyses": {"collective": [after]},
    }
    assert "--recipe smallest-protected" in then.text
