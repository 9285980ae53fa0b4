"""What answers to queries give away, from statistics and queries to proofs and page."""

import itertools
import json
import re
from collections import Counter
from fractions import Fraction
from functools import partial
from io import StringIO
from statistics import median, pvariance

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.query_answers.alone import _groups
from microleak.attacks.query_answers.definitions import Query, Session, session
from microleak.attacks.query_answers.measure import answer_tables
from microleak.attacks.query_answers.rebuild import rebuild
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.errors import MicroleakError, StudyError
from microleak.report.parts import Grid
from tests.attacks.query_answers.checker import check_files
from tests.attacks.query_answers.shown_rows import (
    ANSWERED,
    ANSWERED_VALUES,
    AUDITED,
    NO_VALUES,
    NONE_ANSWERED,
    NONE_AUDITED,
)
from tests.attacks.table_rebuilding import checker
from tests.examples import examples
from tests.report.made import part_with_figure
from tests.study_file.given import refused

BLOCK = """\
sex,race,married,count,median,mean
,,,7,30.0,38.0
F,,,4,30.0,33.5
M,,,3,30.0,44.0
*,B,,4,51.0,48.5
,W,,3,24.0,24.0
,,yes,4,51.0,54.0
F,B,,3,36.0,36.7
M,B,,(D),(D),(D)
F,W,,(D),(D),(D)
M,W,,(D),(D),(D)
"""
"""Table 1 of Garfinkel, Abowd and Martindale (2019), of seven persons."""


check = partial(checker.check, check_files=check_files)


def proved(*given, **keys):
    """What answers prove, and the checker can follow."""
    found = microleak.query_answers(*given, **keys)
    assert not [*check(found.proofs)]
    return found


def asked_of(folder, text, **keys):
    path = folder / "many.csv"
    path.write_text(text, encoding="utf-8")
    return proved(None, "v", 0, 9, tables=[{"file": str(path)}], **keys)


def block(folder, text=BLOCK, **keys):
    path = folder / "block.csv"
    path.write_text(text, encoding="utf-8")
    table = {"file": str(path), "suppressed": ["(D)"], "below": 3}
    return proved(None, "age", 1, 125, tables=[table], **keys)


def alone(found):
    (row,) = found.to_dict("records")
    return row


def test_the_block_of_the_article_has_one_database_which_is_proved(tmp_path):
    found = block(tmp_path, domains={"married": ["yes", "no"]})
    row = alone(found.query_answers)
    assert (row["n_records"], row["n_values_proved"]) == (7, 7)
    assert (row["n_databases"], row["is_all"]) == (1, True)
    values = found.answered_values[["cell", "rank", "least"]]
    assert {*values.itertuples(index=False, name=None)} == {
        ("married=no|race=B|sex=F", 1, 8),
        ("married=no|race=W|sex=M", 1, 18),
        ("married=no|race=W|sex=F", 1, 24),
        ("married=yes|race=W|sex=M", 1, 30),
        ("married=yes|race=B|sex=F", 1, 36),
        ("married=yes|race=B|sex=F", 2, 66),
        ("married=yes|race=B|sex=M", 1, 84),
    }


def test_a_sum_of_0_is_also_that_of_nobody(tmp_path):
    """Not where small groups are suppressed, and this one is not."""
    row = alone(block(tmp_path, "sex,count,sum\nF,0,0\nM,2,60\n").query_answers)
    assert (row["n_records"], row["n_databases"], row["is_all"]) == (2, 30, True)
    path = tmp_path / "sums.csv"
    path.write_text("sex,count,sum\nF,,0\n*,2,0\n", encoding="utf-8")
    both = {"sex": ["F", "M"]}
    for keys, n_counts in (({}, 3), ({"below": 2}, 1)):
        tables = [{"file": str(path), **keys}]
        found = proved(None, "v", 0, 5, tables=tables, domains=both)
        assert alone(found.query_answers)["n_counts"] == n_counts


def test_three_men_have_the_30_combinations_of_ages_of_the_article(tmp_path):
    """And a wrong claim of them does not pass the checker."""
    found = block(tmp_path, "sex,count,median,mean\nM,3,30.0,44.0\n")
    row = alone(found.query_answers)
    assert (row["n_databases"], row["is_all"]) == (30, True)
    bounds = found.answered_values[["least", "largest"]].to_numpy().tolist()
    assert bounds == [[1, 30], [30, 30], [72, 101]]
    written = found.proofs
    (table,) = written["regions"][0]["tables"]
    table["claims"][0]["largest"] = 29
    table["claims"][2]["least"] = 73
    table["databases"][0] = table["databases"][1]
    about = "table 0 of persons of ''"
    assert {*check(written)} >= {
        f"{about}: the largest of 0 is not proved",
        f"{about}: the least of 2 is not proved",
        f"{about}: there are perhaps more databases",
    }


def test_mean_and_variance_tell_two_ages_and_bound_those_of_five(tmp_path):
    """And a wrong claim of them does not pass the checker."""
    found = block(tmp_path, "sex,count,mean,variance\nM,2,31.0,16.0\n")
    bounds = found.answered_values[["least", "largest"]].to_numpy().tolist()
    assert bounds == [[27, 27], [35, 35]]
    written = found.proofs
    assert not [*check(written)]
    (table,) = written["regions"][0]["tables"]
    table["claims"][0] |= {"least": 28}
    assert [*check(written)]
    found = block(tmp_path, "sex,count,mean,variance\nM,5,40.0,1.2\n")
    # They are 38, 40, 40, 41, 41 or 39, 39, 40, 40, 42: no others have that mean
    # and variance.
    bounds = found.answered_values[["least", "largest"]].to_numpy().tolist()
    assert bounds == [[38, 39], [39, 40], [40, 40], [40, 41], [41, 42]]
    assert alone(found.query_answers)["n_databases"] == 2
    assert not [*check(found.proofs)]


STATISTICS = ["sum", "mean", "median", "min", "max", "variance"]
NAIVE = {"sum": sum, "min": min, "max": max, "median": median, "count": len}
NAIVE["mean"] = lambda values: Fraction(sum(values), len(values))
NAIVE["variance"] = lambda values: pvariance(map(Fraction, values))
ROUNDED = ("mean", "variance")


def published(people, crossings, domain, below):
    """Exact statistics of each group, by crossing; None if nothing is published."""
    places = {"a": 0, "b": 1}
    for crossing in crossings:
        for group in itertools.product(*(domain[name] for name in crossing["by"])):
            told = [*zip([places[n] for n in crossing["by"]], group, strict=True)]
            values = [p[2] for p in people if all(p[i] == g for i, g in told)]
            if below and len(values) < below:
                yield None
            elif not values:
                yield {"count": 0}
            else:
                names = crossing["statistics"]
                yield {name: Fraction(NAIVE[name](values)) for name in names}


def is_same(mine, theirs):
    """Say whether statistics could be published as others are, some as integers."""
    if mine is None or theirs is None or {*mine} != {*theirs}:
        return mine is theirs
    return all(
        abs(mine[name] - (Fraction((2 * exact + 1) // 2) if name in ROUNDED else exact))
        <= Fraction(name in ROUNDED, 2)
        for name, exact in theirs.items()
    )


def small_studies(n_studies):
    """Small random releases with what is published, and all databases that fit.

    One in three has suppressed groups; a missing value is one of a group's.
    """
    for seed in range(n_studies):
        rng = np.random.default_rng(seed)
        below = 2 * int(seed % 3 == 0)
        n = int(rng.integers(1, 4 if below else 5))
        a, b = rng.integers(0, 2 if below else 3, n), rng.integers(0, 2, n)
        frame = pd.DataFrame(
            {
                "a": np.array(["x", None, "y"])[a],
                "b": np.array(["p", None])[b],
                "v": [None if i == 3 else float(i) for i in rng.integers(0, 4, n)],
            }
        )
        plain = frame.astype(object).where(frame.notna(), None)
        truth = [
            (*row[:2], int(row.v))
            for row in plain.itertuples(index=False)
            if row.v is not None
        ]
        some = [*rng.choice(STATISTICS, 2, replace=False)]
        crossings = [
            {"by": ["a"], "statistics": ["count", *some]},
            {"by": ["b"], "statistics": [*rng.choice(STATISTICS, 2, replace=False)]},
            {"by": ["a", "b"], "statistics": [str(rng.choice([*STATISTICS, "count"]))]},
        ]
        if not truth:
            continue
        keys = {"below": below} if below else {}
        domain = {name: [*dict.fromkeys(plain[name])] for name in ("a", "b")}
        cells = [*itertools.product(domain["a"], domain["b"], range(3))]
        most = len(truth) + below * len(domain["a"])
        shown = [*published(truth, crossings, domain, below)]
        every = [
            people
            for size in range(most + 1)
            for people in itertools.combinations_with_replacement(cells, size)
            if all(map(is_same, published(people, crossings, domain, below), shown))
        ]
        found = proved(frame, "v", 0, 2, crossings=crossings, digits=0, **keys)
        yield seed, found, domain, every


def members_of(domain, text):
    """Combinations of values that a group as `a=x - a=x|b=p` has."""
    whole, *left_out = (
        {
            cell
            for cell in itertools.product(domain["a"], domain["b"])
            if all(
                (cell["ab".index(name)] or "") == value
                for name, _, value in (p.partition("=") for p in part.split("|"))
                if name in ("a", "b")
            )
        }
        for part in text.split(" - ")
    )
    return whole.difference(*left_out)


def test_bounds_and_databases_are_those_of_all_databases_that_fit():
    n_tried = 0
    for seed, found, domain, every in small_studies(24):
        row = alone(found.query_answers)
        assert row["is_all"], seed
        assert row["n_databases"] == len(every), seed
        claims = {
            (each.cell, each.rank): (each.least, each.largest)
            for each in found.answered_values.itertuples()
        }
        for cell in [cell for cell, _ in claims if "|" not in cell]:
            least, largest = claims.pop((cell, 1))
            of = members_of(domain, cell)
            for people in every:
                assert [v for *c, v in people if (*c,) in of] == [least], seed
            assert least == largest, seed
        expected = {}
        for a, b in itertools.product(domain["a"], domain["b"]):
            of_cell = [sorted(v for *c, v in p if c == [a, b]) for p in every]
            for rank in range(min(map(len, of_cell))):
                values = [each[rank] for each in of_cell]
                bounds = min(values), max(values)
                expected[f"a={a or ''}|b={b or ''}", rank + 1] = bounds
        assert claims == expected, seed
        assert found.answered_values["is_exact"].all()
        n_tried += 1
    assert n_tried > 20


def test_who_is_left_where_nothing_is_tried_has_the_value_in_all_databases(monkeypatch):
    """Nobody counts twice: groups of those who are left have nobody in common."""
    monkeypatch.setattr("microleak.attacks.query_answers.made.MOST_RECORDS", -1)
    n_left = 0
    for seed, found, domain, every in small_studies(24):
        taken = set()
        for each in found.answered_values.itertuples():
            of = members_of(domain, each.cell)
            for people in every:
                values = [v for *c, v in people if (*c,) in of]
                assert values == [each.least] == [each.largest], seed
            assert not of & taken, seed
            taken |= of
            n_left += 1
    assert n_left > 10


def test_sums_of_groups_that_overlap_tell_their_differences():
    """By a difference of three sums, which no sum alone tells, and with cents."""
    pay = ["100.25", "2000.50", "7.00", "31.10", "9999.99"]
    frame = pd.DataFrame({"a": list("xxyyy"), "b": list("pqpqq"), "pay": pay})
    crossings = [{"by": [name], "statistics": ["count", "sum"]} for name in "ab"]
    for more, is_known in ((["count"], False), (["count", "min"], True)):
        both = [*crossings, {"by": ["a", "b"], "statistics": more}]
        found = proved(frame, "pay", 0, 20_000, decimals=2, crossings=both)
        values = found.answered_values
        assert ((values["least"] == values["largest"]) == is_known).all()
    assert [*values["least"]] == [100.25, 2000.5, 7, 31.1, 9999.99]


def test_each_region_is_rebuilt_by_itself_and_a_large_one_not_at_all():
    regions = ["small"] * 2 + ["large"] * 51
    frame = pd.DataFrame({"r": regions, "v": [1, 2] + [0] * 51, "g": "all"})
    crossings = [{"by": ["g"], "statistics": ["count", "min", "max"]}]
    found = proved(frame, "v", 0, 9, crossings=crossings, region="r")
    rows = found.query_answers.set_index("region")
    assert [*rows.index] == ["large", "small"]
    assert rows.loc["small", "n_values_proved"] == 2
    assert rows.loc["large", "n_records"] == 51
    assert rows.loc["large", ["n_values_proved", "share_proved"]].isna().all()


def test_proofs_of_a_region_are_written_once_it_is_done(monkeypatch):
    """None is kept, and the file is what json writes of all."""
    answers = pa.table({"r": ["a", "b", "c"], "v": ["1", "2", "3"], "g": ["x"] * 3})
    crossings = [{"by": ["g"], "statistics": ["count", "max"]}]
    release = {"table": "t", "focal": "1", "crossings": crossings}
    keys = {"attribute": "v", "least": 0, "most": 9, "region": "r"}
    analysis = QueryAnswers(name="demo", release=release, **keys)
    file, n_written = StringIO(), []

    def counted(*given):
        n_written.append(file.getvalue().count('"rows"'))
        return rebuild(*given)

    monkeypatch.setattr("microleak.attacks.query_answers.measure.rebuild", counted)
    answer_tables(analysis, answers, file)
    assert n_written == [0, 1, 2]
    told = json.loads(file.getvalue())
    assert file.getvalue() == json.dumps(told, ensure_ascii=False) + "\n"
    assert [each["region"] for each in told["regions"]] == ["a", "b", "c"]


def test_order_of_records_does_not_matter():
    rng = np.random.default_rng(5)
    g, h = rng.choice(["x", "y"], 12), rng.choice(["p", "q"], 12)
    frame = pd.DataFrame({"g": g, "h": h, "v": rng.integers(0, 60, 12)})
    crossings = [
        {"by": ["g"], "statistics": ["count", "mean", "max"]},
        {"by": ["g", "h"], "statistics": ["count", "median"]},
    ]
    one, other = (
        microleak.query_answers(each, "v", 0, 99, crossings=crossings)
        for each in (frame, frame[::-1])
    )
    pd.testing.assert_frame_equal(one.answered_values, other.answered_values)
    assert one.proofs == other.proofs


def naive_session(truth, queries, n_values, auditor, tolerated):
    """What becomes known, with lists of all tables and nothing else."""
    every = [*itertools.product(range(n_values), repeat=len(truth))]
    kinds = {"sum": sum, "max": max, "min": min}

    def answer(query, table):
        return kinds[query.kind](table[i] for i in query.records)

    def known(tables):
        columns = [*zip(*tables, strict=True)]
        return {i for i, each in enumerate(columns) if len({*each}) == 1}

    def behaviour(table):
        """What an auditor of a table does, and the tables that answers allow."""
        allowed, done = every, []
        for query in queries:
            groups = Counter(answer(query, each) for each in allowed)
            after = {n: [t for t in allowed if answer(query, t) == n] for n in groups}
            would = {n: known(left) > known(allowed) for n, left in after.items()}
            true = answer(query, table)
            is_refused = {
                "none": False,
                "answers": would[true],
                "simulatable": sum(
                    len(after[each]) for each, tells in would.items() if tells
                )
                > Fraction(tolerated, 100) * len(allowed),
            }[auditor]
            done.append(None if is_refused else true)
            allowed = allowed if is_refused else after[true]
        return done, allowed

    done, allowed = behaviour(truth)
    same = [table for table in every if behaviour(table)[0] == done]
    return done.count(None), *(tuple(sorted(known(t))) for t in (allowed, same))


asked = st.tuples(
    st.sampled_from(["sum", "max", "min"]),
    st.sets(st.integers(0, 2), min_size=1).map(lambda each: tuple(sorted(each))),
)


@examples(80)
@given(
    st.tuples(*[st.integers(0, 2)] * 3),
    st.lists(asked.map(lambda each: Query(*each)), min_size=1, max_size=4),
    st.sampled_from(["none", "answers", "simulatable"]),
    st.sampled_from([0, 20, 60]),
)
def test_a_session_tells_what_all_its_tables_have(truth, queries, auditor, tolerated):
    told = session(truth, queries, 3, auditor, tolerated)
    assert told == Session(*naive_session(truth, queries, 3, auditor, tolerated))
    assert {*told.by_answers} <= {*told.by_all}
    if auditor == "answers":
        assert not told.by_answers
    if auditor == "simulatable":
        assert told.by_all == told.by_answers
        assert tolerated or not told.by_all


def test_what_is_known_already_is_no_reason_to_refuse():
    """The tolerated first answer is 0; two persons are known, whatever is asked."""
    asked_ = [Query("sum", (0, 1)), Query("sum", (0, 1)), Query("sum", (2, 3))]
    told = session([0, 0, 0, 1], asked_, 2, "simulatable", 60)
    assert told == Session(0, (0, 1), (0, 1))
    further = [*asked_, Query("max", (2,))]
    told = session([0, 0, 0, 1], further, 2, "simulatable", 60)
    assert told == Session(1, (0, 1), (0, 1))


def test_refusals_of_an_auditor_that_looks_at_the_answer_tell_values():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"v": rng.integers(0, 5, 300)})
    audit = {"records": 4, "samples": 10, "queries": 15, "seed": 3}
    found = microleak.query_answers(frame, "v", 0, 4, audit=audit)
    rows = found.audited_queries.set_index("auditor")
    assert [*rows.index] == ["none", "answers", "simulatable"]
    assert (rows["n_queries"] == 150).all() and (rows["n_sample_records"] == 40).all()
    assert rows.loc["none", "n_refused"] == 0
    assert rows.loc["none", "n_known"] == rows.loc["none", "n_known_by_answers"] > 0
    assert (
        rows.loc["answers", "n_known_by_answers"] == 0 < rows.loc["answers", "n_known"]
    )
    assert rows.loc["simulatable", "n_known"] == 0
    again = microleak.query_answers(frame[::-1], "v", 0, 4, audit=audit)
    pd.testing.assert_frame_equal(found.audited_queries, again.audited_queries)


def test_what_cannot_be_is_refused_in_words(columns, most, keys, said):
    frame = columns and pd.DataFrame(columns)
    with pytest.raises(MicroleakError, match=said):
        microleak.query_answers(frame, "v", 0, most, **keys)


def test_too_many_combinations_or_regions_are_refused(tmp_path):
    crossings = [{"by": ["g"], "statistics": ["count"]}]
    many = pd.DataFrame({"g": range(201), "v": 1})
    with pytest.raises(MicroleakError, match="201 combinations of values, 200 at most"):
        microleak.query_answers(many, "v", 0, 9, crossings=crossings)
    many = pd.DataFrame({"g": "x", "r": range(10_001), "v": 1})
    with pytest.raises(MicroleakError, match="r has 10,001 values, 10,000 at most"):
        microleak.query_answers(many, "v", 0, 9, crossings=crossings, region="r")
    text = "sex,count,town\n" + "".join(f"F,2,{i}\n" for i in range(10_001))
    with pytest.raises(MicroleakError, match="town has 10,001 values, 10,000 at most"):
        block(tmp_path, text, region="town")


def test_a_faulty_file_is_refused_by_its_line(tmp_path, text, keys, said):
    with pytest.raises(MicroleakError, match=said):
        block(tmp_path, text, **keys)


def test_an_attribute_that_one_file_alone_spells_otherwise_is_refused(tmp_path):
    tables = []
    for name, attribute in (("a", "race"), ("b", "race"), ("c", "rase")):
        file = tmp_path / f"{name}.csv"
        file.write_text(f"{attribute},count,mean\nB,2,30\n", encoding="utf-8")
        tables.append({"file": str(file)})
    said = r"c.csv alone has rase, and \S+b.csv has race\. Correct what is misspelt or,"
    with pytest.raises(StudyError, match=said):
        microleak.query_answers(None, "age", 1, 9, tables=tables)
    both = {"rase": ["B", "W"], "race": ["B"]}
    microleak.query_answers(None, "age", 1, 90, tables=tables, domains=both)


STUDY = """\
study: answers
seed: 1
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {"1": {archive: people.csv}}
analyses:
  query_answers:
    - name: one
      attribute: id
      least: 0
      most: 9
      audit: {table: people, focal: 1, records: 2, seed: 1}
"""


def test_an_identifier_is_no_attribute(tmp_path):
    refused(tmp_path, STUDY, "id identifies persons")


def part_of(rows, language, values=ANSWERED_VALUES, audits=NONE_AUDITED):
    names = ("query_answers", "answered_values", "audited_queries")
    given = dict(zip(names, (rows, values, audits), strict=True))
    tables = {kind: {"one": each} for kind, each in given.items()}
    return part_with_figure("query_answers", tables, ("census", "2018"), language)


def test_the_part_tells_how_many_values_are_proved_and_shows_none():
    told, svg = part_of(ANSWERED, "en")
    assert told.heading == (
        "Of 37 values that were tried the answers prove 12; 9,000 were not tried and "
        "may be known, too"
    )
    assert "Not tried: 9,000; Proved: 12." in svg
    all_tried, _ = part_of(ANSWERED.iloc[:2], "en")
    assert all_tried.heading == "The answers prove 12 of 37 values"
    assert told.body[0].texts == (
        "Statistics published: 42.",
        "Regions in which only one database fits, so that all values are known: 1 of "
        "3.",
        "Regions in which published sums alone are subtracted from one another, "
        "because they have too many records, or too many ways to spread them over the "
        "groups: 1.",
    )
    (grid,) = (each for each in told.body if isinstance(each, Grid))
    assert [cells[-1] for cells in grid.rows] == ["1", "1,000 or more", "–"]
    assert "SEX=F" not in str(told)
    assert "Proved: 12." in svg


def test_values_of_groups_of_one_are_not_among_those_tried(language, said):
    rows = ANSWERED.assign(n_values_proved=[7, 5, 2])
    told, _ = part_of(rows, language)
    assert re.findall(r"\b(37|12|14)\b", told.heading) == ["37", "12"]
    assert told.body[0].texts[-1] == said
    unknown = rows.assign(n_records=[7, 30, None])
    told, _ = part_of(unknown, language)
    assert "14" in told.heading


def test_a_single_place_is_not_one_region_of_one(row, language, said):
    rows = ANSWERED.iloc[[row]].assign(region="")
    told, _ = part_of(rows, language, NO_VALUES)
    assert told.body[0].texts[1] == said


UNCERTAIN = "sex,count,min,max\n*,{},4,4\nF,,,\n"
"""Of so many persons of one value, each a woman or a man."""


def test_of_uncertain_persons_only_the_value_of_a_group_of_one_is_known(tmp_path):
    for n, n_counts, n_proved in ((2, 3, 0), (1, 2, 1)):
        found = asked_of(tmp_path, UNCERTAIN.format(n), domains={"sex": ["F", "M"]})
        told = found.query_answers[["n_records", "n_counts", "n_values_proved"]]
        assert told.to_numpy().tolist() == [[n, n_counts, n_proved]]
    value = alone(found.answered_values)
    assert (value["cell"], value["rank"]) == ("", 1)
    assert (value["least"], value["largest"], value["is_exact"]) == (4, 4, True)
    (one,) = found.proofs["regions"][0]["alone"]
    one["value"] = 5
    assert [*check(found.proofs)] == ["who is alone, 0 of '' does not leave one value"]


def test_who_is_left_by_a_difference_is_known_where_too_many_are_to_be_tried(
    tmp_path, text, domains, cell, value, rows
):
    found = asked_of(tmp_path, text, domains=domains)
    told = found.answered_values[["cell", "least"]].to_numpy().tolist()
    assert told == ([[cell, value]] if cell else [])
    used = [[*one["rows"].values()] for one in found.proofs["regions"][0]["alone"]]
    assert used == ([rows] if rows else [])


@pytest.fixture
def tracked(tmp_path):
    """Proofs of a value that one difference tells, and of two that rows tell."""
    text = "t,s,count,sum\n1,*,60,300\n1,M,59,293\n2,F,1,3\n2,M,1,4\n"
    return asked_of(tmp_path, text, domains={"s": ["F", "M"]}, region="t").proofs


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (0, lambda it: it["alone"][0].update(rows={"0": 1}), "is not of one person"),
        (0, lambda it: it["alone"][0].update(value=8), "does not leave one value"),
        (0, lambda it: it["alone"].append(it["alone"][0]), "who was counted"),
        (0, lambda it: it["alone"].clear(), "prove 0 values"),
        (1, lambda it: it["tables"][0].update(claims=[]), "not one of each value"),
        (1, lambda it: it.update(n_values_proved=1), "prove 2 values"),
        (1, lambda it: it["rows"][0].update(count=[0, 1]), "not as in the file"),
        (1, lambda it: it["rows"].reverse(), "is not proved"),
    ],
)
def test_what_was_made_up_is_found(tracked, place, change, said):
    change(tracked["regions"][place])
    assert any(said in each for each in check(tracked))


def test_missing_empty_and_joined_values_are_told_apart():
    g, h = ["", None, "x|h=y", "x"], ["y", "y", "", "y|"]
    frame = pd.DataFrame({"g": g, "h": h, "v": [1, 2, 3, 4]})
    crossings = [{"by": ["g", "h"], "statistics": ["count", "max"]}]
    found = microleak.query_answers(frame, "v", 0, 9, crossings=crossings)
    cells = ['g=""|h=y', "g=|h=y", 'g="x|h=y"|h=""', 'g=x|h="y|"']
    assert sorted(found.answered_values["cell"]) == sorted(cells)


def test_groups_of_one_are_known_where_too_many_persons_are_to_be_tried(tmp_path):
    """Two that may be the same person count once, and a rounded mean for none."""
    text = "sex,race,count,mean\n*,*,900,3.5\nF,*,1,4.0\n*,B,1,4.0\nM,W,1,2\n"
    domains = {"sex": ["F", "M"], "race": ["B", "W", "X"]}
    found = asked_of(tmp_path, text, domains=domains, decimals=1)
    row = alone(found.query_answers)
    assert pd.isna(row["n_counts"])
    assert row["n_values_proved"] == 1
    value = alone(found.answered_values)
    assert (value["cell"], value["least"], value["is_exact"]) == ("race=B", 4, False)


def test_groups_of_one_of_a_large_region_of_a_release_are_known():
    frame = pd.DataFrame(
        {
            "r": ["small"] * 2 + ["large"] * 53,
            "v": [1, 2, 7, 8, *[0] * 51],
            "g": ["a", "a", "b", "c", *["a"] * 51],
            "h": ["x", "x", "x", "y", *["x"] * 51],
        }
    )
    crossings = [
        {"by": ["g"], "statistics": ["count", "max"]},
        {"by": ["h"], "statistics": ["count", "sum"]},
        {"by": ["g", "h"], "statistics": ["count"]},
    ]
    given = {"crossings": crossings, "region": "r"}
    found = proved(frame, "v", 0, 9, **given)
    row = found.query_answers.set_index("region").loc["large"]
    assert pd.isna(row["n_counts"])
    assert (row["n_records"], row["n_values_proved"]) == (53, 2)
    assert row["n_answers"] == 3 * 2 + 2 * 2 + 6
    values = found.answered_values.set_index("region").loc["large"]
    told = values[["cell", "least", "tables"]].to_numpy().tolist()
    assert told == [["g=b|h=x", 7, "g|g, h"], ["g=c|h=y", 8, "g|g, h"]]
    few = proved(frame, "v", 0, 9, below=2, **given)
    assert (few.answered_values["region"] == "small").all()


def test_who_is_left_is_the_same_of_a_release_and_of_its_statistics_in_files(tmp_path):
    """Of 51 to 90 records, some of whose groups are suppressed; each claim is true."""
    n_left = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(51, 90))
        frame = pd.DataFrame(
            {
                "a": rng.choice(["p", "q", "r"], n, p=[0.9, 0.07, 0.03]),
                "b": rng.choice(["x", "y"], n, p=[0.9, 0.1]),
                "c": "same",
                "v": rng.integers(0, 10, n),
            }
        )
        below, digits = 2 * (seed % 2), 6
        tables, crossings = [], []
        for by in (["a"], ["b"], ["a", "b"], ["c"]):
            statistics = ["count", str(rng.choice(["sum", "mean"]))]
            crossings.append({"by": by, "statistics": statistics})
            groups = itertools.product(*(sorted({*frame[name]}) for name in by))
            lines = [",".join([*by, *statistics])]
            for group in groups:
                values = frame["v"][(frame[by] == group).all(axis=1)]
                told = "," if len(values) < below else f"{len(values)},"
                if len(values) >= max(below, 1):
                    is_sum = statistics[1] == "sum"
                    mean = f"{values.mean():.{digits}f}"
                    told += str(values.sum()) if is_sum else mean
                lines.append(",".join([*group, told]))
            file = tmp_path / f"{', '.join(by)}"
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            tables.append({"file": str(file)} | ({"below": below} if below else {}))
        keys = {"below": below} if below else {}
        made = proved(frame, "v", 0, 9, crossings=crossings, digits=digits, **keys)
        read = proved(None, "v", 0, 9, tables=tables)
        names = read.answered_values["tables"].str.replace(f"{tmp_path}/", "")
        pd.testing.assert_frame_equal(
            made.answered_values, read.answered_values.assign(tables=names)
        )
        for one in made.answered_values.itertuples():
            of = dict(pair.split("=") for pair in one.cell.split("|"))
            is_of = (frame[[*of]] == [*of.values()]).all(axis=1)
            assert frame["v"][is_of].to_list() == [one.least] == [one.largest], seed
            n_left += "|" in one.tables
    assert n_left >= 3


def test_sums_beyond_64_bits_are_right():
    n = 19_999
    values = ["999999999.999999"] * n + ["0.000001"]
    frame = pd.DataFrame({"g": ["a"] * n + ["b"], "h": "all", "v": values})
    crossings = [{"by": [name], "statistics": ["count", "sum"]} for name in "gh"]
    found = proved(frame, "v", 0, 10**9, decimals=6, crossings=crossings, below=2)
    row = alone(found.answered_values)
    assert (row["cell"], row["least"], row["tables"]) == ("g=b", 1e-6, "g|h")


def test_attributes_of_one_value_have_no_groups_of_their_own():
    """Nor does what is subtracted double with each of them."""
    assert len(_groups((2, 3, 1, 1, 1))) == len(_groups((2, 3))) == 3 * 4


def test_tables_that_leave_persons_alone_are_named_with_how_many(language, caption):
    every = [*["a.csv|b.csv"] * 2, "c.csv", "", *["a.csv"] * 3]
    values = pd.concat([ANSWERED_VALUES] * len(every)).assign(tables=every)
    told, _ = part_of(ANSWERED, language, values)
    *_, grid = (each for each in told.body if isinstance(each, Grid))
    assert grid.caption.startswith(caption)
    assert grid.rows == (("a.csv", "3"), ("a.csv\nb.csv", "2"), ("c.csv", "1"))


def test_no_total_is_told_where_a_number_is_not_known(language, heading, found):
    rows = ANSWERED.assign(n_records=ANSWERED["n_records"].mask([False, True, False]))
    told, svg = part_of(rows, language)
    assert told.heading == heading
    assert found in svg
    assert svg.count("fill: #0072b2") == 1
    assert not re.search("(Values|Valores): ", svg)
    one = rows.assign(n_records=float("nan"), n_values_proved=[1, 0, 0])
    told, _ = part_of(one, language)
    said = {"en": "The answers prove one value", "pt": "As respostas provam um valor"}
    assert told.heading == said[language]


def test_the_part_tells_what_refusals_give_away():
    told, svg = part_of(NONE_ANSWERED, "pt", NO_VALUES, AUDITED)
    assert told.heading == (
        "Um auditor que olha a resposta verdadeira deixa escapar 44 de 80 valores"
    )
    (grid,) = (each for each in told.body if isinstance(each, Grid))
    assert grid.rows[1] == ("Recusa o que revelaria", "150", "0", "44")
    assert "Recusa o que poderia revelar: 0." in svg
