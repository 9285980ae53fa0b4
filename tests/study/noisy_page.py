"""A public report of a made-up town, written as a run writes it, and its tables."""

import json
from bisect import bisect
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import vectors_of
from microleak.definitions.laplace import written
from microleak.definitions.vectors import FIRST_SIZES
from microleak.report.contents import Tables
from microleak.report.public import write_public_report
from microleak.report.texts import voice
from microleak.study.private_counts import private_tables
from microleak.study.tables import result_tables as specs
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import write_table
from microleak.tables.rows import as_table
from tests.panels import collective

QIDS, SENSITIVE = ("age", "street"), ("ill",)
ANALYSIS = Collective("town", "people", "2", QIDS, SENSITIVE, "all")
PEOPLE = [
    {"age": i % 7, "street": i % 90, "ill": "y" if i % 5 else None} for i in range(99)
]
STATISTICS = ["records", "most_frequent", *["block_sizes"] * 5, "right_guesses"]


def exact(folder, people, earlier=None, shown=(QIDS,), is_sized=True):
    """The counts of people, rows of attributes, whose measures are in a folder.

    Those of `earlier` are linked.
    """
    releases = {"2": people} | ({"1": earlier} if earlier else {})
    releases = {
        name: {f"{i:06}": row for i, row in enumerate(rows)}
        for name, rows in releases.items()
    }
    analysis = replace(ANALYSIS, auxiliary=(*releases,)[1:])
    for path in ("measures/collective", "measures/success"):
        (folder / path).mkdir(parents=True, exist_ok=True)
    rows = collective(folder, releases, QIDS, SENSITIVE).assign(analysis="town")
    path = folder / "measures/collective/town.csv"
    write_table(path, rows, specs()["collective"])
    (folder / "success/s").rename(folder / "measures/success/town.parquet")
    return [*vectors_of(analysis, shown, is_sized)]


def counts_of(vectors, folder):
    return [n for vector in vectors for n in vector.count(folder)]


def naive(people, qids=QIDS):
    """Each count by its statistic, by the definitions."""
    ill = Counter(row["ill"] for row in people)
    blocks = Counter(tuple(row[name] for name in qids) for row in people)
    cells = Counter((*(row[name] for name in qids), row["ill"]) for row in people)
    guesses = {}
    for (*block, _), n in cells.items():
        guesses[tuple(block)] = max(n, guesses.get(tuple(block), 0))
    classes = Counter(bisect(FIRST_SIZES, n) - 1 for n in blocks.values())
    unique = {block for block, n in blocks.items() if n == 1}
    alone = [row for row in people if tuple(row[name] for name in qids) in unique]
    return {
        "records": [len(people)],
        "most_frequent": [max(ill.values(), default=0)],
        "unique": [len(unique)],
        "block_sizes": [classes[place] for place in range(len(FIRST_SIZES))],
        "right_guesses": [sum(guesses.values())],
        "unique_by_group": [
            *(sum(row["ill"] == value for row in alone) for value in ("y", "n")),
            sum(row["ill"] not in {"y", "n"} for row in alone),
        ],
    }


def naive_counts(people):
    found = naive(people)
    return [n for statistic in dict.fromkeys(STATISTICS) for n in found[statistic]]


def noisy_tables(
    folder,
    study="town",
    key=b"k" * 32,
    rows=b"rows",
    analysis=ANALYSIS,
    people=PEOPLE,
    n_vectors=4,
    **noise,
):
    vectors = exact(folder, people)[:n_vectors]
    (folder / "key").write_bytes(key)
    for path, content in {"people/people/2.parquet": rows}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    ingest = dict.fromkeys(specs()["ingest"].names, 99)
    ingest |= {"table": "people", "release": "2", "synthetic": "false", "sha256": "0f"}
    frame = as_table(specs()["ingest"], [ingest])
    write_table(folder / "measures/ingest.csv", frame, specs()["ingest"])
    given = noise or {"epsilon": "1/2"}
    section = NoiseSection(key=str(folder / "key"), spent={"old": "1"}, **given)
    analyses = {"collective": {"town": analysis}}
    study = SimpleNamespace(name=study, analyses=analyses, file="town.yaml")
    return dict(private_tables(study, section, vectors, folder))


def study_of(folder, study="town", spent=None, epsilon="1/2", plant=lambda _: None):
    """Results with a report with noise, and where its records are from."""
    made_ = noisy_tables(folder, study, epsilon=epsilon)
    losses = as_table(
        specs()["privacy_losses"],
        [
            {"publication": n, "epsilon": written(Fraction(e))}
            for n, e in {**(spent or {}), study: epsilon}.items()
        ],
    )
    kinds = {"noisy_counts": {"town": made_["noisy_counts/town"]}}
    kinds["whole"] = {"releases": made_["releases"], "privacy_losses": losses}
    plant(kinds)
    (folder / "tables/people").mkdir(parents=True)
    receipt = {"sha256": "00ff", "archive": "people.csv"}
    (folder / "tables/people/2.json").write_text(json.dumps(receipt))
    tables = Tables(kinds, kinds.pop("whole"))
    (folder / "report").mkdir()
    voices = [voice("pt"), voice("en")]
    write_public_report(folder / "report", study, tables, (), voices)
    return folder
