"""A file that somebody else made: its labels, examples by hand, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.published_file.labels import OriginalValues, covered_by
from microleak.base.errors import MicroleakError, StudyError
from microleak.base.progress import told_by
from tests.attacks.published_file.shown_rows import MADE, OTHERS, TOWN, tables
from tests.report.made import part_with_figure
from tests.study_file import given

NUMBERS = ["18", "19", "20", "24.5", "-3", "0", "30", None]


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("[20, 30[", ["20", "24.5"]),
        ("]19, 30]", ["20", "24.5", "30"]),
        ("[18, 20]", ["18", "19", "20"]),
        ("[20, 30)", ["20", "24.5"]),
        ("(20,30]", ["24.5", "30"]),
        ("(-Inf,0]", ["-3", "0"]),
        ("[24, Inf)", ["24.5", "30"]),
        ("-5--1", ["-3"]),
        ("18-20", ["18", "19", "20"]),
        ("<18", ["-3", "0"]),
        ("<= 18", ["18", "-3", "0"]),
        (">=24.5", ["24.5", "30"]),
        (">24.5", ["30"]),
        ("20+", ["20", "24.5", "30"]),
        ("{18, 30}", ["18", "30"]),
        ("20.0", ["20"]),
        ("93", []),
        ("*", NUMBERS),
        ("1*", ["18", "19"]),
        (None, [None]),
        ("young", None),
        ("[30, 20[", None),
        ("20-18", None),
    ],
)
def test_a_label_of_numbers_covers(label, covered):
    found = covered_by(label, OriginalValues(NUMBERS), {})
    expected = covered if covered is None else sorted(map(NUMBERS.index, covered))
    assert (None if found is None else found.tolist()) == expected


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("81667", ["81667"]),
        ("81***", ["81667", "81675"]),
        ("81*", ["81667", "81675", "816"]),
        ("***67", ["81667"]),
        ("{north, south}", ["north", "south"]),
        ("{north, nowhere}", ["north"]),
        ("{nowhere}", None),
        ("[20, 30[", None),
        ("<50", None),
        ("8*7*", None),
    ],
)
def test_a_label_of_texts_covers(label, covered):
    texts = ["81667", "81675", "93591", "816", "north", "south"]
    found = covered_by(label, OriginalValues(texts), {})
    expected = covered if covered is None else [texts.index(each) for each in covered]
    assert (None if found is None else found.tolist()) == expected


def test_a_file_of_arx_and_what_it_gives_away():
    found = microleak.published_file(TOWN, MADE, ["AGE", "SEX"], sensitive=["ILL"])
    table = found.published_file.set_index("qids")
    # Of 60, 61 and 61 the first is alone, and two records cover it; 80 is covered by
    # its own and by the one of which the age is left out.
    assert table.loc["AGE", "n_alone"] == 4
    assert table.loc["AGE", "n_singled_out"] == 0
    assert table.loc["AGE|SEX", "n_alone"] == 8
    assert table.loc["AGE|SEX", "n_singled_out"] == 0
    assert table.loc["AGE|SEX", "n_one_candidate"] == 1
    guesses = found.published_guesses.set_index("qids")
    assert guesses.loc["AGE|SEX", "n_claims"] == 3
    # The two men up to 40, and wrongly the one of 61, whom an ill person covers.
    assert guesses.loc["AGE|SEX", "n_claims_right"] == 2
    assert guesses.loc["AGE|SEX", "n_beyond_others"] == 2


def people(n, seed, n_ages=60):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.integers(0, n_ages, n),
            "sex": draw.choice(["F", "M"], n),
            "town": draw.integers(0, 20, n).astype(str),
            "ill": draw.choice(["yes", "no"], n, p=[0.1, 0.9]),
        }
    )


QIDS = ["age", "sex", "town"]


def test_a_copy_singles_out_all_who_are_unique():
    town, others = people(400, 1), people(400, 2)
    copy = town.sample(frac=1, random_state=1)
    found = microleak.published_file(
        town, copy, QIDS, sensitive=["ill"], control=others
    )
    table = found.published_file
    assert (table["n_singled_out"] == table["n_alone"]).all()
    assert table["n_alone"].iloc[-1] > 300
    whole = table.iloc[-1]
    assert whole["beyond_control_low"] > 0.6
    copies = found.published_copies.iloc[0]
    assert copies["n_copied"] == 400
    assert copies["n_rare"] == copies["n_rare_copied"]
    assert copies["n_control_copied"] < 60


def test_a_file_made_of_others_gives_nothing_away():
    n_holding = n_sets = 0
    for seed in range(20):
        town, made, others = (people(300, 3 * seed + i) for i in range(3))
        found = microleak.published_file(
            town, made, QIDS, sensitive=["ill"], control=others
        )
        for table in (found.published_file, found.published_guesses):
            low, high = table["beyond_control_low"], table["beyond_control_high"]
            n_holding += int(((low <= 0) & (high >= 0)).sum())
            n_sets += len(table)
    assert n_holding >= 0.95 * n_sets


def test_of_equal_values_it_is_what_synthpop_defines():
    town, made = people(500, 5, n_ages=8), people(300, 6, n_ages=8)
    found = microleak.published_file(town, made, QIDS, sensitive=["ill"])
    for subset, row in zip(
        found.published_file["qids"], found.published_guesses.itertuples(), strict=True
    ):
        q = subset.split("|")
        d, s = town.groupby(q).size(), made.groupby(q).size()
        both = pd.concat([d, s], axis=1, keys=["d", "s"]).fillna(0)
        table = found.published_file.set_index("qids").loc[subset]
        replicated = (both["d"] == 1) & (both["s"] == 1)
        assert table["n_singled_out"] == int(replicated.sum())
        assert table["n_with_candidate"] == int(both["d"][both["s"] > 0].sum())
        d_t = town.groupby([*q, "ill"]).size()
        s_t = made.groupby([*q, "ill"]).size()
        each = pd.concat([d_t, s_t], axis=1, keys=["d", "s"]).fillna(0)
        s_q = s.reindex(each.index.droplevel("ill")).to_numpy()
        disclosed = int(each["d"][(each["s"] == s_q) & (s_q > 0)].sum())
        assert row.n_claims_right == disclosed
        assert row.disco == disclosed / 500
        assert row.tcap == disclosed / table["n_with_candidate"]


def test_a_key_tells_which_links_are_true():
    town = TOWN.assign(id=range(8))
    made = town.assign(AGE="*", id=[1, 0, *range(2, 8)])[1:]
    found = microleak.published_file(town, made, ["AGE", "SEX", "ILL"], key="id")
    table = found.published_file.set_index("qids")
    # Of two women who are well one is left out, and the key says of whom it is.
    assert table.loc["SEX|ILL", ["n_one_candidate", "n_rightly_one"]].tolist() == [2, 1]
    copy = town.sample(frac=1, random_state=3)
    found = microleak.published_file(town, copy, ["AGE", "SEX"], key="id")
    whole = found.published_file.iloc[-1]
    assert whole["n_rightly_one"] == whole["n_one_candidate"] == 8


def test_guesses_of_numbers_are_right_if_near():
    town = pd.DataFrame({"age": [1, 2, 3, 4], "income": [-100, 0, 10, 1000]})
    made = pd.DataFrame({"age": [1, 2, 3, 4], "income": [-104, 1, 12, 1060]})
    near = {"income": {"relative": "0.05", "absolute": "1"}}
    found = microleak.published_file(
        town, made, ["age"], sensitive=["income"], near=near
    )
    row = found.published_guesses.iloc[0]
    assert (row["n_claims"], row["n_claims_right"]) == (4, 2)


def test_labels_of_a_hierarchy_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "age.csv").write_text("21;young;all\n60;old;all\n61;old;all\n")
    town = pd.DataFrame({"age": ["21", "60", "61"]})
    made = pd.DataFrame({"age": ["young", "old", "all"]})
    levels = {"age": {"file": "age.csv"}}
    found = microleak.published_file(town, made, ["age"], hierarchies=levels)
    row = found.published_file.iloc[0]
    assert row["linked"] == pytest.approx(1 / 2)
    assert row["n_one_candidate"] == 0


def test_it_is_refused_in_one_line():
    made = MADE.assign(AGE=["canary", *MADE["AGE"][1:]])
    words = "AGE of the published file has 1 label that .* Give the labels of AGE as a"
    with pytest.raises(MicroleakError, match=words) as error:
        microleak.published_file(TOWN, made, ["AGE"])
    assert "canary" not in str(error.value)
    empty = MADE.assign(SEX=[None, *MADE["SEX"][1:]])
    with pytest.raises(MicroleakError, match="SEX has a larger share of empty cells"):
        microleak.published_file(TOWN, empty, ["SEX"])
    with pytest.raises(MicroleakError, match="each record of control is one of the"):
        microleak.published_file(TOWN, MADE, ["AGE", "SEX"], control=TOWN[::2])
    with pytest.raises(StudyError, match="near has SEX, which is not sensitive"):
        near = {"SEX": {"absolute": "1"}}
        microleak.published_file(TOWN, MADE, ["AGE"], sensitive=["ILL"], near=near)
    with pytest.raises(MicroleakError, match="that are no numbers, so none is near"):
        near = {"ILL": {"absolute": "1"}}
        microleak.published_file(TOWN, MADE, ["AGE"], sensitive=["ILL"], near=near)
    with pytest.raises(MicroleakError, match="AGE has values that are no numbers in"):
        microleak.published_file(TOWN, MADE, ["SEX"], sensitive=["AGE"])
    twice = TOWN.assign(id=[1, *range(1, 8)])
    with pytest.raises(MicroleakError, match="id of the table is missing, or the same"):
        microleak.published_file(twice, twice, ["SEX"], key="id")


@pytest.mark.parametrize(("n_others", "is_asked"), [(10, False), (11, True)])
def test_a_file_of_other_people_is_asked_about(n_others, is_asked):
    town = pd.DataFrame({"age": range(20), "sex": ["F", "M"] * 10})
    made = town.assign(age=[*range(n_others, 20), *range(50, 50 + n_others)])
    said = []
    with told_by(said.append):
        microleak.published_file(town, made, ["age", "sex"])
    words = "age of the published file covers that of 9 of 20 people of the table."
    assert [words in each for each in said] == [True] * is_asked


def test_a_suppressed_cell_may_be_any():
    empty = MADE.assign(SEX=[None, *MADE["SEX"][1:]])
    found = microleak.published_file(TOWN, empty, ["SEX"], missing="suppressed")
    value = microleak.published_file(TOWN, empty, ["SEX"], missing="value")
    assert found.published_file["linked"].iloc[0] == pytest.approx(
        5 / 8 / 5 + 3 / 8 / 4
    )
    assert value.published_file["linked"].iloc[0] == pytest.approx(
        5 / 8 / 4 + 3 / 8 / 3
    )


FILES = """\
published: {table: people, release: "2"}, qids: [age, sex], sensitive: [ill]
"""


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('focal: "2"', "published and control are not different releases"),
        ('focal: "1", links: [[[age], [ill]]]', "hierarchies or links have ill, which"),
        ('focal: "1", key: sex', "sex is the key and a fact"),
        ('focal: "1", near: {ill: {}}', "must give absolute, relative or both"),
    ],
)
def test_what_a_study_cannot_ask_is_refused(tmp_path, more, words):
    with pytest.raises(StudyError, match=words):
        given.study(tmp_path, "published_file", f"{FILES.strip()}, {more}")


def test_the_part_is_about_those_who_are_singled_out():
    copy = microleak.published_file(TOWN, TOWN, ["AGE", "SEX"], control=OTHERS)
    shown = {name: {"made": rows} for name, rows in tables(copy, "made").items()}
    part, svg = part_with_figure("published_file", shown, ("town", "2023"), "en")
    assert part.heading.startswith("8 of 8 people (100%) are singled out")
    assert "SYNTHETIC" in svg
