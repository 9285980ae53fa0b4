"""A page is made of each family where nothing or all is found."""

import re

import pandas as pd
import pytest

import microleak
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from microleak.tables.files import read_table, write_table
from microleak.tables.rows import as_table
from tests.examples import long, thinned
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


def anonymity(frame, **given):
    return microleak.anonymity(frame, QIDS, **given)


def of_margins(frame, folder):
    counts = (
        frame.fillna("(missing)").value_counts(["age", "sex"]).reset_index(name="count")
    )
    counts["count"] *= 3
    counts.to_csv(folder / "margins.csv", index=False)
    return anonymity(frame, margins=[str(folder / "margins.csv")])


def linkage(frame):
    drift = {"stable": ["sex"], "drifting": ["age"], "person_id": "id"}
    return microleak.linkage(frame, frame, QIDS, **drift)


LEVELS = {"age": {"widths": [5]}, "sex": {}}
ILL = {"sensitive": ["ill"]}


def known_protection(frame):
    steps, levels = [{"generalise": {"age": 1}}], {"age": LEVELS["age"]}
    out = microleak.protect(frame, steps, hierarchies=levels, seed=1).records
    return microleak.known_protection(
        frame, out, steps, QIDS, hierarchies=levels, **ILL
    )


def composition(frame):
    ill = frame.assign(ill=["n", "y"] * (len(frame) // 2) + ["n"] * (len(frame) % 2))
    return microleak.composition(ill, "ill", [("ill", ["y"]), ("ill", ["n"])], ["1"])


def query_answers(frame):
    crossings = [{"by": ["sex"], "statistics": ["count", "mean"]}]
    aged = frame.fillna({"age": "30"})
    return microleak.query_answers(aged, "age", 0, 99, crossings=crossings)


FAMILIES = {
    "anonymity": lambda of: anonymity(of, **ILL),
    "of persons": lambda of: anonymity(of, **ILL, entity="id"),
    "of a sample": lambda of: anonymity(of, n_population=3 * len(of)),
    "and a population": lambda of: anonymity(of, population=pd.concat([of, of])),
    "and itself": lambda of: anonymity(of, population=of, subsets="full"),
    "of weights": lambda of: anonymity(of.assign(w="3"), weight="w"),
    "of margins": of_margins,
    "special_uniques": lambda of: microleak.special_uniques(of, QIDS),
    "risk_groups": lambda of: microleak.risk_groups(of, QIDS, ["sex"], **ILL),
    "linkage": linkage,
    "membership": lambda of: microleak.membership(pd.concat([of, of]), of, QIDS),
    "membership of all": lambda of: microleak.membership(of, of, QIDS, **ILL),
    "of none": lambda of: microleak.membership(of, of.assign(sex="X"), QIDS),
    "intersection": lambda of: microleak.intersection(of, {"later": of}, QIDS, ["ill"]),
    "rough_knowledge": lambda of: microleak.rough_knowledge(
        of, QIDS, {"age": {"within": 1}}
    ),
    "smallest_protection": lambda of: microleak.smallest_protection(
        of, QIDS, LEVELS, {"certain": "1"}, **ILL
    ),
    "known_protection": known_protection,
    "g_leakage": lambda of: microleak.g_leakage(of, QIDS, "ill", tries=2),
    "composition": composition,
    "query_answers": query_answers,
}


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
        unique = {"analysis": "a", "qids": "age", "n_qids": 1}
        tables["uniques"] = {"a": as_table(specs()["uniques"], [unique])}
    return tables


NO_NUMBER = re.compile(r"\b(nan|NaN|inf|NaT|NA)\b")


@pytest.mark.parametrize(
    ("kind", "language"), [("alike", "en"), *long(("distinct", "en"), ("one", "pt"))]
)
@pytest.mark.parametrize("family", thinned(FAMILIES))
def test_a_page_is_made_of_the_best_and_of_the_worst_release(
    family, kind, language, tmp_path
):
    frame = people(kind)
    given = (frame, tmp_path) if family == "of margins" else (frame,)
    tables = measured(FAMILIES[family](*given), tmp_path)
    figures = dict(draw_families(tables, (language,)))
    parts = [*family_parts(tables, figures, voice(language))]
    assert parts
    for part in parts:
        texts = [part.heading, *part.measured, *part.sentences, part.caution.text]
        texts += [each.text for each in part.replies]
        texts += [line.text for each in part.answer for line in each.lines]
        assert not [text for text in texts if NO_NUMBER.search(text)]
