"""Who is at risk: study file, measures, part of the page and figure."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.risk_groups.section import read_classes
from microleak.base.errors import MicroleakError, StudyError
from tests import naive
from tests.attacks.risk_groups.shown_rows import GROUPS, groups, row
from tests.report.made import part_of_rows
from tests.study_file import given

QIDS, SENSITIVE, BY = ("age", "town"), ("ill", "job"), ("race", "sex", "age")


@pytest.fixture(scope="module", params=[(60, 1), (200, 2), (1, 3)], ids=str)
def people(request):
    n, seed = request.param
    rng = np.random.default_rng([8, seed])
    spread = {"age": 9, "town": 5, "ill": 2, "job": 4, "race": 3, "sex": 1}
    return pd.DataFrame(
        {
            name: [None if v == 0 else f"{name}{v}" for v in rng.integers(0, k + 1, n)]
            for name, k in spread.items()
        }
    )


@pytest.fixture(scope="module")
def found(people):
    return microleak.risk_groups(people, QIDS, BY, sensitive=SENSITIVE).risk_groups


def right_of(records, column):
    """Expected success on each record, and whether the adversary is certain of it."""
    blocks = naive.blocks(records)
    sizes = [len(blocks[record]) for record in records]
    if column is None:
        return [Fraction(1, size) for size in sizes], [size == 1 for size in sizes]
    values = [{column[i] for i in blocks[record]} for record in records]
    return naive.success(records, column), [len(each) == 1 for each in values]


def as_known(column):
    return [None if pd.isna(value) else value for value in column]


def test_success_is_that_on_the_members_alone(people, found):
    check_success(people, found, {name: as_known(people[name]) for name in BY})


def check_success(people, found, groups):
    """Compare what was found with success on each member, whose group is known."""
    n = len(people)

    @cache
    def told(qids, sensitive):
        records = list(zip(*(as_known(people[q]) for q in qids), strict=True))
        column = as_known(people[sensitive]) if sensitive else None
        return right_of(records or [()] * n, column)

    for each in found.itertuples():
        right, certain = told(tuple(each.qids.split("|")), each.sensitive)
        before, _ = told((), each.sensitive)
        group = groups[each.by]
        value = None if each.is_missing else each.value
        members = [i for i in range(n) if group[i] == value]
        others = [i for i in range(n) if group[i] != value]
        assert each.n_members == len(members)
        assert each.n_certain == sum(certain[i] for i in members)
        assert each.n_certain_of_all == sum(certain)
        shares = {
            kind: [Fraction(sum(of[i] for i in part), len(part)) for part in both]
            for kind, of in {"det": certain, "prob": right}.items()
            for both in [[part for part in (members, others) if part]]
        }
        assert each.posterior_det == float(shares["det"][0])
        assert each.posterior_prob == float(shares["prob"][0])
        prior = Fraction(sum(before[i] for i in members), len(members))
        assert each.prior_prob == float(prior)
        assert each.additive_leakage == float(shares["prob"][0] - prior)
        for kind, both in shares.items():
            ratio = getattr(each, f"risk_ratio_{kind}")
            if len(both) == 1 or not both[1]:
                assert pd.isna(ratio)
            else:
                assert ratio == float(both[0] / both[1])


SIZES = (3, 12, 20)
CLASSES = {"town1": "north", "town2": "south", "town3": "north"} | {
    **dict.fromkeys(["town4", "town5"], "east"),
    None: "unknown",
}
GROUPINGS = [
    {"of": "town", "sizes": SIZES},
    {"of": "town", "name": "part", "classes": CLASSES},
    {"of": "age", "sizes": [8], "name": "how many as old"},
]


def size_of(column, sizes):
    """How many have each one's value, as its group is called; None if it is missing."""
    counts = Counter(column)
    ends = [0, *sizes, None]
    return [
        None
        if value is None
        else next(
            f"{low}-" if high is None else f"{low}-{high - 1}"
            for low, high in pairwise(ends)
            if high is None or counts[value] < high
        )
        for value in column
    ]


@pytest.fixture(scope="module")
def grouped(people):
    by = ["sex", *GROUPINGS]
    return microleak.risk_groups(people, QIDS, by, sensitive=SENSITIVE).risk_groups


def test_values_are_grouped_by_their_class_and_by_how_many_have_them(people, grouped):
    town, age = as_known(people["town"]), as_known(people["age"])
    groups = {
        "sex": as_known(people["sex"]),
        "town": size_of(town, SIZES),
        "part": [CLASSES[value] for value in town],
        "how many as old": size_of(age, [8]),
    }
    found = grouped.groupby("by", sort=False)["value"].nunique(dropna=False)
    assert found.to_dict() == {by: len({*of}) for by, of in groups.items()}
    check_success(people, grouped, groups)


def test_groups_of_values_are_described_and_sizes_ascend(people, grouped):
    told = grouped.drop_duplicates("by")[["by", "attribute", "kind"]]
    assert told.to_numpy().tolist() == [
        ["sex", "sex", "value"],
        ["town", "town", "size"],
        ["part", "town", "class"],
        ["how many as old", "age", "size"],
    ]
    sizes = grouped[(grouped["by"] == "town") & ~grouped["is_missing"]]["value"]
    order = ["0-2", "3-11", "12-19", "20-"]
    assert [*sizes.drop_duplicates()] == [name for name in order if name in {*sizes}]


def test_numbers_are_classed_by_the_values_that_the_frame_has():
    frame = pd.DataFrame({"age": [1, 2, 3], "town": [1.0, 2.0, None]})
    classes = {1: "a", 2: "b", None: "c"}
    by = [{"of": "town", "classes": classes}]
    found = microleak.risk_groups(frame, ["age"], by).risk_groups
    assert [*found["value"]] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (
            {"A": "x", None: "z"},
            "1 value of town has no class in classes, which needs a class of each "
            "value as it is released, of a missing one under an empty text. Correct it",
        ),
        (
            {"A": "x", None: "z", "b": "y", "": "z"},
            "an empty text. It has 'b', which no record has. Correct it, or add what",
        ),
        ({"B": "x"}, "2 values of town, a missing one among them, have no class in"),
        (["A"], "classes in by are a mapping of values to names of classes"),
        ({"A": 1}, "classes in by are a mapping of values to names of classes"),
    ],
)
def test_values_without_a_class_are_counted_and_never_shown(classes, said):
    frame = pd.DataFrame({"age": [1, 2, 3], "town": ["A", "B", None]})
    by = [{"of": "town", "classes": classes}]
    with pytest.raises(MicroleakError) as error:
        microleak.risk_groups(frame, ["age"], by)
    assert str(error.value).startswith("risk_groups: ")
    assert said in str(error.value)
    assert "'A'" not in str(error.value)
    assert "'B'" not in str(error.value)


def test_thousands_of_values_have_few_groups():
    frame = pd.DataFrame({"town": [*range(3_000), *range(1_500)], "age": 1})
    by = {"of": "town", "sizes": [2]}
    found = microleak.risk_groups(frame, ["age"], [by]).risk_groups
    assert [*found["n_members"]] == [1_500, 3_000]


MANY = {"of": "town", "classes": {i: f"class {i}" for i in range(101)}, "name": "part"}


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ([], "risk_groups"),
        (["town"], "town has 101 values, more than the 100"),
        ([MANY], "part gives 101 groups, more than the 100"),
        (["town", {"of": "town", "sizes": [2]}], "by has two entries called town"),
    ],
)
def test_groups_that_cannot_be_are_refused(by, said):
    frame = pd.DataFrame({"town": range(101), "age": 1})
    with pytest.raises(MicroleakError, match=said):
        microleak.risk_groups(frame, ["age"], by)


def test_rows_are_in_the_order_of_values_attacks_and_subsets(found, people):
    assert [*found["by"].drop_duplicates()] == [*BY]
    race = found[found["by"] == "race"]
    first = race.drop_duplicates("value")
    assert [*first["is_missing"]] == sorted(first["is_missing"], reverse=True)
    one = race[race["value"] == race["value"].iloc[-1]]
    assert [*one["sensitive"].fillna("")] == [*[""] * 3, *["ill"] * 3, *["job"] * 3]
    assert [*one["qids"][:3]] == ["age", "town", "age|town"]


def test_the_part_tells_of_the_group_most_at_risk_that_is_large_enough():
    told, svg = part_of_rows("risk_groups", GROUPS, "en")
    assert told.heading == (
        "People with RACE 2 are re-identified with certainty more often than all "
        "others, by two facts: 50.00% of them (100 of 200), against 18.75% of the "
        "others"
    )
    inferred, least = told.body[0].texts
    assert inferred.startswith(
        "“ILL” is given away with certainty most often for people with RACE 2: for "
        "75.00% of them (150 of 200), against 12.50% of the others."
    )
    assert "fewer than 100 people" in least
    found, _ = told.grids
    assert [cells[1] for cells in found.rows] == ["(missing)", "1", "2"]
    assert "RACE: (missing): 100%; RACE: 1: 16.67%; RACE: 2: 50.00%" in svg


def test_where_all_groups_are_alike_or_small_none_is_told_of():
    alike = groups(row("1", 500, 125), row("2", 500, 125))
    told, _ = part_of_rows("risk_groups", alike, "pt")
    assert told.heading.startswith("Nenhum grupo grande o bastante para se comparar")
    assert "25,00%" in told.heading
    small = groups(row("1", 990, 245), row("2", 10, 5))
    told, _ = part_of_rows("risk_groups", small, "en")
    assert told.heading.startswith("No group large enough to be compared")


OF_BIRTH = {"by": "CO_MUNICIPIO_NASC", "attribute": "CO_MUNICIPIO_NASC"}
SMALL = [
    row("0-999", 200, 100, **OF_BIRTH, kind="size"),
    row("1000-9999", 300, 75, **OF_BIRTH, kind="size"),
    row("10000-", 480, 55, **OF_BIRTH, kind="size"),
    row(None, 20, 20, **OF_BIRTH, kind="size"),
]


def test_sizes_are_told_in_words(language, beginning, measured, values, alt):
    told, svg = part_of_rows("risk_groups", groups(*SMALL), language)
    assert told.heading.startswith(beginning)
    assert measured in told.measured[0]
    (found,) = told.grids
    assert [cells[1] for cells in found.rows][:3] == values
    assert alt in svg


def test_classes_are_told_by_their_name_or_their_attribute(by, heading):
    grouping = {**OF_BIRTH, "by": by, "kind": "class"}
    rows = [row("North", 200, 100, **grouping), row("South", 800, 150, **grouping)]
    assert heading in part_of_rows("risk_groups", groups(*rows), "en")[0].heading


def study(folder, family, more):
    found = given.study(folder, family, f"focal: 1, {more}")
    return found.analyses[family]["one"]


def test_a_group_may_be_known_or_inferred_too(tmp_path):
    more = "qids: [age, sex], sensitive: [ill], by: [sex, ill, race]"
    analysis = study(tmp_path, "risk_groups", more)
    ((*_, names),) = analysis.needs
    assert names == ("age", "sex", "ill", "race")


def test_an_analysis_that_cannot_be_is_refused(tmp_path, family, more, said):
    with pytest.raises(StudyError, match=said):
        study(tmp_path, family, more)


def test_groupings_of_a_study_have_their_sizes_and_classes(tmp_path):
    classes = tmp_path / "classes.csv"
    classes.write_text("value,class\nA,north\n,unknown\n", encoding="utf-8")
    small, north = "{of: town, sizes: [10, 100]}", f"{{of: town, classes: {classes}"
    more = f"qids: [age], by: [sex, {small}, {north}, name: part}}]"
    analysis = study(tmp_path, "risk_groups", more)
    by_sex, by_size, by_part = analysis.by
    assert (by_sex, by_size.called, by_size.sizes) == ("sex", "town", (10, 100))
    assert by_part.called == "part"
    assert by_part.class_of == {"A": "north", "": "unknown"}
    assert [*analysis.needs] == [("people", "1", ("age", "sex", "town"))]


def test_a_faulty_file_of_classes_is_refused_by_its_line(tmp_path, text, said):
    path = tmp_path / "classes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        read_classes(path, "one")
    assert said in str(error.value)
    assert "classes.csv" in str(error.value)
    assert "secret" not in str(error.value)
