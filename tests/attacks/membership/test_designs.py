"""Samples by design and answers after presence, from records to the tables."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import StudyError, TableError
from tests.examples import examples

QIDS = ["sex", "age"]
values = st.sampled_from(["a", "b", None])


@st.composite
def tables(draw):
    rows = st.tuples(values, values, st.sampled_from("xy"), st.sampled_from("12"))
    people = draw(st.lists(rows, min_size=2, max_size=9))
    chosen = draw(st.sets(st.integers(0, len(people) - 1), min_size=1))
    sample = [people[i] for i in sorted(chosen)]
    answers = draw(st.lists(values, min_size=len(sample), max_size=len(sample)))
    names = [*QIDS, "state", "school"]
    asked = pd.DataFrame(sample, columns=names, dtype=object).assign(answer=answers)
    return pd.DataFrame(people, columns=names, dtype=object), asked


def one(found, table):
    (row,) = getattr(found, table).to_dict("records")
    return row


@examples(40)
@given(tables(), st.sampled_from(["persons", "poisson"]))
def test_one_stratum_without_clusters_has_the_uniform_numbers_to_the_last_bit(
    both, stages
):
    design = {"fraction": "1/2", "stages": stages, "response": "0.9"}
    found = microleak.membership(*both, QIDS, design=design)
    plain, designed = found.membership, found.designs
    for name in ("posterior_person", "bayes_posterior"):
        assert list(designed[name]) == list(plain[name])
        assert list(designed[f"{name}_uniform"]) == list(plain[name])
    assert list(designed["certain"]) == list(designed["certain_uniform"])
    assert list(designed["prior"]) == list(plain["prior"])


@examples(40)
@given(tables())
def test_a_stratum_that_the_sample_tells_is_one_more_thing_known(both):
    design = {"fraction": "1/3", "strata": ["state"]}
    found = microleak.membership(*both, QIDS, design=design, subsets="full")
    row = one(found, "designs")
    qids = [*QIDS, "state"]
    plain = one(microleak.membership(*both, qids, subsets="full"), "membership")
    for name in ("posterior_person", "bayes_posterior"):
        assert row[name] == plain[name]


def chances_of_all_samples(people, cell, d, n_drawn):
    """Chance of each person alike: strata are drawn alone, as the sample hides them."""
    strata = {s: [i for i, p in enumerate(people) if p[2] == s] for s in n_drawn}
    whole, found = 0, Counter()
    (first, n_first), (second, n_second) = n_drawn.items()
    for one_part in combinations(strata[first], n_first):
        for other in combinations(strata[second], n_second):
            seen = [i for i in (*one_part, *other) if people[i][:2] == cell]
            if len(seen) == d:
                whole += 1
                found.update(seen)
    return {i: Fraction(found[i], whole) for i, p in enumerate(people) if p[:2] == cell}


@examples(30)
@given(
    st.lists(st.tuples(values, values, st.sampled_from("xy")), min_size=4, max_size=10),
    st.data(),
)
def test_a_hidden_stratum_is_weighed_as_all_samples_of_the_design_do(people, data):
    sizes = Counter(p[2] for p in people)
    if len(sizes) < 2:
        return
    sample, n_drawn = [], {}
    for stratum, n in sorted(sizes.items()):
        n_drawn[stratum] = (n + 1) // 2
        mine = [p for p in people if p[2] == stratum]
        chosen = st.permutations(range(n))
        sample += [mine[i] for i in data.draw(chosen)[: n_drawn[stratum]]]
    names = [*QIDS, "state"]
    answers = data.draw(st.lists(values, min_size=len(sample), max_size=len(sample)))
    population = pd.DataFrame(people, columns=names, dtype=object)
    asked = pd.DataFrame(sample, columns=names, dtype=object).assign(answer=answers)
    design = {"fraction": "1/2", "strata": ["state"], "published": []}
    more = {"design": design, "subsets": "full", "sensitive": ["answer"]}
    found = microleak.membership(population, asked, QIDS, **more)
    squares = right = value_right = guessed = Fraction(0)
    for cell, n in Counter(p[:2] for p in people).items():
        d = sum(p[:2] == cell for p in sample)
        said = Counter(a for a, p in zip(answers, sample, strict=True) if p[:2] == cell)
        told = Fraction(max(said.values(), default=0), d or 1)
        chances = chances_of_all_samples(people, cell, d, n_drawn).values()
        assert len(chances) == n
        squares += sum(p * p for p in chances)
        right += sum(max(p, 1 - p) for p in chances)
        value_right += sum(p * p * told for p in chances)
        guessed += sum(max(1 - p, p * told) for p in chances)
    row, answer = one(found, "designs"), one(found, "answers")
    assert row["posterior_person"] == float(squares / len(sample))
    means = right / len(people), value_right / len(sample), guessed / len(people)
    told = (answer["posterior_found"], answer["bayes_posterior"])
    exact = pytest.approx([float(mean) for mean in means], rel=1e-15)
    assert [row["bayes_posterior"], *told] == exact


PEOPLE = pd.DataFrame(
    {
        "state": ["SP", "MG", "MG", "RJ", "RJ", "RJ", "SP", "SP", "SP", "SP"],
        "sex": list("FFFMMMMMMM"),
        "age": ["31", *["21"] * 5, *["31"] * 4],
        "school": list("1223334444"),
    }
)
SURVEY = PEOPLE.iloc[[0, 1, 3, 4]].assign(answer=["1", "0", "0", "1"])
"""The leading example of Rodrigues, section 3.4, with Table 2's attribute."""


def test_the_papers_example_has_its_answers():
    """d/n and t/d are 1 and 1, 1/2 and 1, 2/3 and 1/2."""
    qids = ["state", "sex", "age"]
    found = microleak.membership(
        PEOPLE, SURVEY, qids, sensitive=["answer"], subsets="full"
    )
    row = one(found, "answers")
    assert (row["prior_value"], row["posterior_value"]) == (0.5, 0.75)
    assert row["prior_found"] == 0.2
    expected = (1 + 2 * Fraction(1, 4) + 3 * Fraction(4, 9) / 2) / 4
    assert row["posterior_found"] == pytest.approx(float(expected), rel=1e-15)
    assert (row["certain"], row["bayes_prior"]) == (0.25, 0.6)
    # Of the woman, of those of MG, of RJ, and of four who are certainly absent.
    assert row["bayes_posterior"] == pytest.approx((1 + 1 + 1 + 4) / 10, rel=1e-15)


def test_schools_that_were_drawn_whole_tell_more_than_their_persons_alone():
    design = {"clusters": ["school"], "stages": "clusters", "fraction": "1/2"}
    found = microleak.membership(PEOPLE, PEOPLE[:3], ["sex"], design=design)
    row = one(found, "designs")
    assert (row["n_strata"], row["n_clusters"]) == (1, 4)
    # Of three women in two schools, all three are there: certain either way.
    assert row["posterior_person"] == row["posterior_person_uniform"] == 1
    only_one = pd.DataFrame({"sex": ["F"]})
    row = one(microleak.membership(PEOPLE, only_one, ["sex"], design=design), "designs")
    # One woman: the school with one alone was drawn, not that with two.
    assert row["posterior_person"] == 1
    assert row["posterior_person_uniform"] == pytest.approx(1 / 3)


def by_stratum(folder, text):
    path = folder / "drawn.csv"
    path.write_text(text, encoding="utf-8")
    return {"strata": ["state"], "by_stratum": str(path)}


def test_a_file_says_what_is_drawn_of_each_stratum(tmp_path):
    design = by_stratum(tmp_path, "state,count\nSP,1\nMG,1\nRJ,2\n")
    for published, chance in (([], 17 / 24), (["state"], 17 / 24)):
        found = microleak.membership(
            *(PEOPLE, SURVEY, ["state", "sex", "age"]),
            design={**design, "published": published},
            subsets="full",
        )
        assert one(found, "designs")["posterior_person"] == pytest.approx(chance)
    priors = [Fraction(1, 5), Fraction(1, 2), Fraction(2, 3), Fraction(2, 3)]
    prior = one(found, "designs")["prior_design"]
    assert prior == pytest.approx(float(sum(priors) / 4))


def test_too_many_alike_have_no_number(monkeypatch):
    monkeypatch.setattr("microleak.attacks.membership.designs.MOST_STEPS", 0)
    design = {"fraction": "1/2", "strata": ["state"], "published": []}
    found = microleak.membership(
        PEOPLE, SURVEY, ["sex"], design=design, sensitive=["answer"]
    )
    assert pd.isna(one(found, "designs")["posterior_person"])
    assert one(found, "designs")["posterior_person_uniform"] > 0
    assert pd.isna(one(found, "answers")["posterior_found"])


def test_a_design_that_cannot_be_is_refused(design, said):
    with pytest.raises(StudyError, match=said):
        microleak.membership(PEOPLE, SURVEY, ["sex", "age"], design=design)


def test_a_faulty_file_of_strata_is_refused_by_its_line(text, said, tmp_path):
    with pytest.raises(StudyError, match=said):
        microleak.membership(PEOPLE, SURVEY, ["sex"], design=by_stratum(tmp_path, text))


def test_strata_that_do_not_agree_are_refused(text, said, tmp_path):
    with pytest.raises(TableError, match=said):
        microleak.membership(PEOPLE, SURVEY, ["sex"], design=by_stratum(tmp_path, text))


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (["SP", "MG", "BA", "BA"], "strata of 2 records of the sample are none"),
        (["MG", "MG", "MG", "SP"], "in 1 of the strata the sample has more"),
    ],
)
def test_a_sample_of_other_strata_or_larger_than_its_stratum_is_refused(states, said):
    other = SURVEY.assign(state=states)
    design = {"fraction": "1/2", "strata": ["state"]}
    with pytest.raises(TableError, match=said):
        microleak.membership(PEOPLE, other, ["sex"], design=design)


def test_the_order_of_records_makes_no_difference():
    design = {
        **{"strata": ["state"], "clusters": ["school"], "stages": "clusters"},
        **{"fraction": "1/2", "published": [], "response": "0.9"},
    }
    found = [
        microleak.membership(
            *(PEOPLE[::way], SURVEY[::way], ["sex", "age"]),
            design=design,
            sensitive=["answer"],
        )
        for way in (1, -1)
    ]
    for table in ("designs", "answers"):
        pd.testing.assert_frame_equal(*(getattr(each, table) for each in found))
