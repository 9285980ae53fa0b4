"""Published counts that cross all QIDs say what a table of the persons says."""

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import MicroleakError
from tests.examples import examples
from tests.property.tables import tables


def written(path, frame, names):
    """How many persons have which values of some attributes, as offices print it."""
    counts = frame.fillna("(missing)").groupby(names).size()
    counts.rename("count").reset_index().to_csv(path, index=False)
    return str(path)


def drawn(table, draws):
    """Persons, and a sample of them."""
    qids, _ = table
    names = [f"q{i}" for i in range(len(qids))]
    columns = {
        n: [None if v is None else f"v{v}" for v in c]
        for n, c in zip(names, qids, strict=True)
    }
    people = pd.DataFrame(columns, dtype=object)
    n = draws.draw(st.integers(1, len(people)))
    sample = people.sample(n, random_state=draws.draw(st.integers(0, 9)))
    return people, sample


@given(tables(max_qids=3, max_sensitive=0), st.data())
@examples(30)
def test_counts_by_all_qids_are_the_table_of_the_persons(
    tmp_path_factory, table, draws
):
    people, sample = drawn(table, draws)
    names = [*people.columns]
    crossed = draws.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    file = written(tmp_path_factory.mktemp("counts") / "counts.csv", people, crossed)
    found = microleak.anonymity(sample, names, margins=[file])
    whole = microleak.anonymity(sample, names, population=people)
    is_known = [{*q.split("|")} <= {*crossed} for q in whole.anonymity["qids"]]
    of_models = ["posterior_unique", "posterior_match"]
    told, true = (
        each.anonymity[is_known].drop(columns=of_models) for each in (found, whole)
    )
    pd.testing.assert_frame_equal(told, true)
    unknown = found.anonymity[[not each for each in is_known]]
    assert unknown[["k_map", "marketer_risk", "n_unique_both"]].isna().all(axis=None)


BOUNDED = ("k_map", "n_below_k_map_2", "n_unique_both", "marketer_risk")


@given(tables(max_qids=3, max_sensitive=0, max_records=12), st.data())
@examples(20)
def test_counts_by_parts_of_the_qids_bound_what_the_persons_say(
    tmp_path_factory, table, draws
):
    people, sample = drawn(table, draws)
    names = [*people.columns]
    parts = [names[:i] + names[i + 1 :] for i in range(len(names))]
    folder = tmp_path_factory.mktemp("counts")
    files = [
        written(folder / f"{number}.csv", people, part or names)
        for number, part in enumerate(parts)
    ]
    found = microleak.anonymity(sample, names, margins=files).anonymity
    whole = microleak.anonymity(sample, names, population=people).anonymity
    for name in BOUNDED:
        assert (found[f"{name}_least"] <= whole[name]).all(), name
        assert (whole[name] <= found[f"{name}_most"]).all(), name
    assert (whole["delta_presence_max"] <= found["delta_presence_most"]).all()


@pytest.mark.parametrize(
    ("persons", "n_unique", "k"), [([2] * 100, 0, 2), ([1] * 50 + [20] * 50, 50, 1)]
)
def test_who_is_unique_is_printed_and_not_estimated(tmp_path, persons, n_unique, k):
    sample = pd.DataFrame({"code": [f"c{i}" for i in range(100)]})
    counts = sample.assign(count=persons)
    counts.to_csv(tmp_path / "codes.csv", index=False)
    found = microleak.anonymity(sample, ["code"], margins=[str(tmp_path / "codes.csv")])
    (row,) = found.anonymity.to_dict("records")
    assert (row["n_unique_both"], row["k_map"]) == (n_unique, k)
    assert (row["prosecutor_risk"], row["journalist_risk"]) == (1, 1 / k)
    assert row["marketer_risk"] == float(sum(Fraction(1, n) for n in persons) / 100)
    assert found.uniqueness.empty


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("a,1\nb,2\n", "2 records of the sample are in cells of code of which the"),
        ("a,2\n", "1 records of the sample are in cells of code of which nobody"),
    ],
)
def test_a_sample_of_other_people_is_refused(tmp_path, lines, said):
    (tmp_path / "codes.csv").write_text("code,count\n" + lines)
    sample = pd.DataFrame({"code": ["a", "b"] if "nobody" in said else ["a", "a", "b"]})
    with pytest.raises(MicroleakError, match=said):
        microleak.anonymity(sample, ["code"], margins=[str(tmp_path / "codes.csv")])


@pytest.mark.parametrize(
    ("lines", "n_cells"), [("F,3\nM,2\n", 0), ("F,2\nM,3\n", 2), ("F,3\nM,2\nX,4\n", 1)]
)
def test_a_table_that_an_exact_one_contradicts_is_refused(tmp_path, lines, n_cells):
    both, sexes = tmp_path / "both.csv", tmp_path / "sexes.csv"
    both.write_text("sex,town,count\nF,a,1\nF,b,2\nM,a,2\n")
    sexes.write_text(f"sex,count\n{lines}")
    sample = pd.DataFrame({"sex": ["F", "M"], "town": ["a", "a"]})
    given = {"margins": [str(sexes), str(both)]}
    if not n_cells:
        found = microleak.anonymity(sample, ["sex", "town"], **given)
        assert found.anonymity["k_map"].notna().all()
        return
    said = f"both.csv and .*sexes.csv have different .* in {n_cells} cells of sex"
    with pytest.raises(MicroleakError, match=said):
        microleak.anonymity(sample, ["sex", "town"], **given)


def test_rounded_and_suppressed_counts_bound_what_they_stand_for(tmp_path):
    people = pd.DataFrame({"sex": list("FFFFFMMM"), "town": list("aaabbabb")})
    (tmp_path / "size.csv").write_text("sex,count\nF,5\nM,3\n")
    (tmp_path / "both.csv").write_text(
        "sex,town,count\nF,a,X\nF,b,X\nM,a,X\nM,b,X\n*,a,4\n*,b,4\n"
    )
    size = str(tmp_path / "size.csv")
    table = {"file": str(tmp_path / "both.csv"), "suppressed": ["X"], "below": 4}
    sample = people.iloc[[0, 3, 5]]
    found = microleak.anonymity(sample, ["sex", "town"], margins=[size, table])
    rows = found.anonymity.set_index("qids")
    # Of 5 women at most 3 are in a town, so that 2 or 3 are in each; of men 1 or 2.
    assert rows.loc["sex|town", ["k_map_least", "k_map_most"]].tolist() == [1, 2]
    assert rows.loc["sex", "k_map"] == 3
    assert rows.loc["town", ["k_map_least", "k_map_most"]].tolist() == [4, 4]
    assert rows.loc["sex|town", "n_unique_both_most"] == 1
    with pytest.raises(MicroleakError, match="has the size of the population, and"):
        microleak.anonymity(sample, ["sex", "town"], margins=[table, size])
