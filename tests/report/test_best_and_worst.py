"""A page is made of each family where nothing or all is found."""

import re

import pandas as pd
import pytest

import microleak
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from microleak.tables.files import read_table, write_table
from tests.examples import long
from tests.report.made import draw_families, family_parts

QIDS = ["age", "sex"]
N = 12


def people(kind):
    """Records of a release of which nothing, or all, is found."""
    n = 1 if kind == "one" else N
    is_distinct = kind == "distinct"
    return pd.DataFrame(
        {
            "id": [str(i) for i in range(n)],
            "age": [str(30 + i * is_distinct) for i in range(n)],
            "sex": ["F"] * n,
            "ill": ["ny"[is_distinct and i % 2] for i in range(n)],
        }
    )


def anonymity(frame):
    return microleak.anonymity(frame, QIDS, ["ill"])


def anonymity_of_persons(frame):
    return microleak.anonymity(frame, QIDS, ["ill"], entity="id")


def anonymity_of_a_sample(frame):
    return microleak.anonymity(frame, QIDS, n_population=3 * len(frame))


def anonymity_and_a_population(frame):
    return microleak.anonymity(frame, QIDS, population=pd.concat([frame, frame]))


def anonymity_and_itself(frame):
    return microleak.anonymity(frame, QIDS, population=frame, subsets="full")


def anonymity_of_weights(frame):
    return microleak.anonymity(frame.assign(w="3"), QIDS, weight="w")


def anonymity_of_margins(frame, folder):
    counts = (
        frame.fillna("(missing)").value_counts(["age", "sex"]).reset_index(name="count")
    )
    counts["count"] *= 3
    counts.to_csv(folder / "margins.csv", index=False)
    return microleak.anonymity(frame, QIDS, margins=[str(folder / "margins.csv")])


def special_uniques(frame):
    return microleak.special_uniques(frame, QIDS)


def risk_groups(frame):
    return microleak.risk_groups(frame, QIDS, ["sex"], sensitive=["ill"])


def linkage(frame):
    return microleak.linkage(
        frame, frame, QIDS, stable=["sex"], drifting=["age"], person_id="id"
    )


def membership(frame):
    return microleak.membership(pd.concat([frame, frame]), frame, QIDS)


def membership_of_all(frame):
    return microleak.membership(frame, frame, QIDS, sensitive=["ill"])


def membership_of_none(frame):
    other = frame.assign(sex="X")
    return microleak.membership(frame, other, QIDS)


def intersection(frame):
    return microleak.intersection(frame, {"later": frame}, QIDS, ["ill"])


def rough_knowledge(frame):
    return microleak.rough_knowledge(frame, QIDS, {"age": {"within": 1}})


def smallest_protection(frame):
    levels = {"age": {"widths": [5]}, "sex": {}}
    return microleak.smallest_protection(
        frame, QIDS, levels, {"certain": "1"}, sensitive=["ill"]
    )


def known_protection(frame):
    steps = [{"generalise": {"age": 1}}]
    levels = {"age": {"widths": [5]}}
    out = microleak.protect(frame, steps, hierarchies=levels, seed=1).records
    return microleak.known_protection(
        frame, out, steps, QIDS, hierarchies=levels, sensitive=["ill"]
    )


def g_leakage(frame):
    return microleak.g_leakage(frame, QIDS, "ill", tries=2)


def composition(frame):
    ill = frame.assign(ill=["n", "y"] * (len(frame) // 2) + ["n"] * (len(frame) % 2))
    return microleak.composition(ill, "ill", [("ill", ["y"]), ("ill", ["n"])], ["1"])


def query_answers(frame):
    crossings = [{"by": ["sex"], "statistics": ["count", "mean"]}]
    return microleak.query_answers(
        frame.fillna({"age": "30"}), "age", 0, 99, crossings=crossings
    )


FAMILIES = [
    *(anonymity, anonymity_of_persons, anonymity_of_a_sample),
    *(anonymity_and_a_population, anonymity_and_itself, anonymity_of_weights),
    *(anonymity_of_margins, special_uniques, risk_groups, linkage, membership),
    *(membership_of_all, membership_of_none, intersection, rough_knowledge),
    *(smallest_protection, known_protection, g_leakage, composition, query_answers),
]


def measured(found, folder):
    """Tables of a result by kind and analysis, as a step writes and a page reads them.

    Frames have no names of analyses, tables and releases.
    """
    tables = {}
    for kind, spec in specs().items():
        rows = getattr(found, kind, None)
        # Without margins and weights a study has no table of these.
        if isinstance(rows, pd.DataFrame) and (len(rows) or kind != "uniqueness"):
            texts = [c.name for c in spec.columns if c.type == "string"]
            unnamed = [name for name in spec.names if name not in rows]
            names = {name: "a" if name in texts else None for name in unnamed}
            path = folder / f"{kind}.csv"
            write_table(path, rows.assign(**names)[spec.names], spec)
            tables[kind] = {"a": read_table(path, spec)}
    if "presence" in tables:  # A frame has no table of who is unique in both.
        unique = {"analysis": "a", "qids": "age", "n_qids": 1, "n_both": 0}
        tables["uniques"] = {"a": specs()["uniques"].frame([unique])}
    return tables


NO_NUMBER = re.compile(r"\b(nan|NaN|inf|NaT|NA)\b")


@pytest.mark.parametrize(
    ("kind", "language"),
    [("alike", "en"), ("distinct", "en"), *long(("one", "pt"))],
)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_a_page_is_made_of_the_best_and_of_the_worst_release(
    family, kind, language, tmp_path
):
    frame = people(kind)
    given = (frame, tmp_path) if family is anonymity_of_margins else (frame,)
    tables = measured(family(*given), tmp_path)
    figures = dict(draw_families(tables, (language,)))
    parts = [*family_parts(tables, figures, voice(language))]
    assert parts
    for part in parts:
        texts = [part.heading, *part.measured, *part.sentences, part.caution.text]
        texts += [each.text for each in part.replies]
        texts += [line.text for each in part.answer for line in each.lines]
        assert not [text for text in texts if NO_NUMBER.search(text)]
