"""The study on two real files agrees with plain SQL, other libraries and the docs.

The files are not in the repository; where they are not beside it, this is skipped.
"""

import itertools
from dataclasses import replace
from fractions import Fraction
from math import log2
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.measure import TABLES, measure_analysis
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.base.paths import ROOT
from microleak.figures.numbers import Numbers
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.study.load import load_study
from tests.assessing import assess
from tests.examples import long

SIA, ADULT = "sia-pa-acre-sample", "adult"
RACE, NO_INFORMATION = "PA_RACACOR", "99"


class Example:
    """A study file beside this one with one table, one release, one analysis."""

    def __init__(self, name):
        self.study = load_study(Path(__file__).with_name(f"{name}.yaml"))
        (self.analysis,) = self.study.analyses["collective"].values()
        self.table = self.study.tables[self.analysis.table]
        self.release = self.table.releases[self.analysis.focal]
        self.path = ROOT / self.release.archive
        if not self.path.exists():
            pytest.skip(f"needs {self.release.archive}, not part of the repository")
        self.delimiter = self.table.options.get("delimiter", ",")
        self.names = [*self.analysis.qids, *self.analysis.sensitive]

    def with_missing(self, *texts):
        options = {**self.table.options, "missing": ["", *texts]}
        self.table = replace(self.table, options=options)
        return self

    def measures(self, folder):
        """What the pipeline finds, without Snakemake."""
        table, people = folder / "table.parquet", folder / "people.parquet"
        source, release = self.table.source, self.release
        definition = source_definition(source, release.name, self.table.options)
        names = tuple(self.names)
        given = ReadRelease(self.path, names, release.sha256, release.n_rows)
        ingest(given, definition, table, folder / "table.json")
        choice = Choice(definition.person_id, definition.record_id, self.study.seed)
        resources = Resources(1, 8_000, folder)
        deduplicate(table, people, folder / "people.json", choice, resources)
        profiles = folder / "profiles.parquet"
        profile_analysis([people], self.analysis, False, resources, profiles)
        success = folder / "success.parquet"
        return measure_analysis([profiles], self.analysis, False, success)

    def frame(self):
        text = {"dtype": str, "keep_default_na": False}
        return pd.read_csv(self.path, sep=self.delimiter, **text)[self.names]

    def subsets(self, *sizes):
        qids = self.analysis.qids
        sizes = sizes or range(1, len(qids) + 1)
        return [list(q) for size in sizes for q in itertools.combinations(qids, size)]


@pytest.fixture(scope="module", params=[SIA, *long(ADULT)])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def example(name):
    return Example(name)


@pytest.fixture(scope="module")
def measures(example, tmp_path_factory):
    return example.measures(tmp_path_factory.mktemp("study"))


def database_of(example):
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE records AS FROM "
        "read_csv($path, delim=$delimiter, header=true, all_varchar=true)",
        {"path": str(example.path), "delimiter": example.delimiter},
    )
    return database


def counts_by_sql(example):
    """Return the five counts of each subset and attack, in the table's order.

    One GROUP BY each, in which a missing value is one value.
    """
    database = database_of(example)
    found = {}
    for qids in example.subsets():
        block = ", ".join(f'"{qid}"' for qid in qids)
        found["|".join(qids), ""] = database.sql(
            f"WITH b AS (SELECT count(*) AS n FROM records GROUP BY {block}) "
            "SELECT sum(n), count(*), count(*) FILTER (n = 1), count(*), "
            "sum(n) FILTER (n = (SELECT min(n) FROM b)) FROM b"
        ).fetchall()[0]
        for sensitive in example.analysis.sensitive:
            found["|".join(qids), sensitive] = database.sql(
                "WITH b AS (SELECT sum(n) AS n, max(n) AS modal, count(*) AS n_values "
                f"FROM (SELECT {block}, count(*) AS n FROM records GROUP BY {block}, "
                f'"{sensitive}") GROUP BY {block}) '
                "SELECT sum(n), count(*), sum(n) FILTER (n_values = 1), sum(modal), "
                "sum(n) FILTER (modal / n = (SELECT max(modal / n) FROM b)) FROM b"
            ).fetchall()[0]
    return {key: tuple(int(n or 0) for n in counts) for key, counts in found.items()}


def test_every_count_of_every_subset_is_that_of_a_group_by(example, measures):
    counts = [n for n in TABLES["collective"].saying("count") if "rarer" not in n]
    rows = measures.collective.set_index(["qids", "sensitive"])[counts]
    ours = {row.Index: tuple(row)[1:] for row in rows.itertuples()}
    assert len(ours) == 127 * (1 + len(example.analysis.sensitive))
    assert ours == counts_by_sql(example)


def guessed_from_others_by_sql(database, qids, sensitive):
    """Return the records guessed right by the others of their block, exactly.

    Of each block it is the size, the count of the most frequent value, how many values
    have that and how many one less, and whether it is the table's only most frequent.
    """
    columns = ", ".join(f'"{name}"' for name in (*qids, sensitive))
    block = ", ".join(["1 + 0", *(f'"{qid}"' for qid in qids)])
    blocks = database.sql(
        f"WITH c AS (SELECT {columns}, count(*) AS n FROM records GROUP BY {columns}), "
        f"w AS (SELECT *, max(n) OVER (PARTITION BY {block}) AS m, "
        f'sum(n) OVER (PARTITION BY "{sensitive}") AS among_all FROM c) '
        "SELECT sum(n) AS size, m, count(*) FILTER (n = m) AS n_modal_values, "
        "count(*) FILTER (n = m - 1) AS n_next, max(among_all) AS among_all "
        f"FROM w GROUP BY {block}, m"
    ).df()
    alone = blocks["size"] == 1
    sure = blocks[~alone & (blocks["n_modal_values"] == 1)]
    by_choices = sure.groupby("n_next")["m"].sum()
    right = sum(Fraction(int(m), 1 + int(n)) for n, m in by_choices.items())
    if qids:
        counts = database.sql(
            f'SELECT count(*) AS n FROM records GROUP BY "{sensitive}"'
        ).df()["n"]
        is_only = (counts == counts.max()).sum() == 1
        n_next = int((counts == counts.max() - 1).sum())
        n_alone = int((blocks["among_all"][alone] == counts.max()).sum())
        right += Fraction(n_alone, 1 + n_next) if is_only else 0
    return right


def test_what_others_teach_is_that_of_a_group_by(example, measures):
    database, n = database_of(example), len(example.frame())
    ours = measures.collective.set_index(["qids", "sensitive"])
    for sensitive in example.analysis.sensitive:
        prior = ours.loc["|".join(example.subsets(1)[0]), sensitive]["prior_prob"]
        best = {(): Fraction(round(prior * n))}
        for qids in map(tuple, example.subsets()):
            found = guessed_from_others_by_sql(database, qids, sensitive)
            fewer = (best[s] for s in itertools.combinations(qids, len(qids) - 1))
            best[qids] = max(found, *fewer)
            row = ours.loc["|".join(qids), sensitive]
            assert row["posterior_loo"] == float(best[qids] / n)
            own = row["n_modal"] - best[qids]
            assert row["own_record"] == float(own / n)


def test_every_share_is_one_division_of_those_counts(example, measures):
    frame = example.frame()
    for row in measures.collective.itertuples():
        values = frame[row.sensitive].value_counts() if row.sensitive else [1]
        prior, n = int(max(values)), len(frame)
        shares = [getattr(row, n) for n in TABLES["collective"].saying("share")]
        *exact, before, after, leakage, _, _ = shares
        assert exact == [
            0,
            row.n_certain / n,
            row.n_certain / n,
            prior / n,
            row.n_modal / n,
            row.n_modal / prior,
            (row.n_modal - prior) / n,
            row.largest_success,
        ]
        bits = [log2(n / prior), log2(n / row.n_modal), log2(row.n_modal / prior)]
        assert [before, after, leakage] == pytest.approx(bits)


def documented(measures):
    """Rows that docs/validation/ has of a study: priors, and worst subsets."""
    share, points = Numbers("en").share, Numbers("en").points
    for sensitive, attack in measures.worst.groupby("sensitive", sort=False):
        subject = f"CAS {sensitive}" if sensitive else "CRS"
        prior = attack["prior_prob"].iloc[0]
        n_prior = round(prior * attack["n_records"].iloc[0])
        yield f"{subject};0;none;0;0%;none;{n_prior:,};{share(prior)};"
        for n_qids, both in attack.groupby("n_qids"):
            det, prob = (
                both[both["criterion"] == criterion].iloc[0]
                for criterion in ("deterministic", "probabilistic")
            )
            known = det["qids"].replace("|", ", ")
            guessed = prob["qids"].replace("|", ", ")
            yield (
                f"{subject};{n_qids};{known};{det['n_certain']:,};"
                f"{share(det['posterior_det'])};"
                f"{'the same' if guessed == known else guessed};"
                f"{prob['n_modal']:,};{share(prob['posterior_prob'])};"
                f"{points(prob['additive_leakage'])}"
            )


def test_the_documented_numbers_are_the_computed_ones(name, measures):
    text = (ROOT / f"docs/validation/{name}.csv").read_text(encoding="utf-8")
    _, *rows = text.splitlines()
    assert rows == list(documented(measures))


def test_no_information_read_as_missing_changes_no_number(tmp_path):
    as_value, as_missing = tmp_path / "value", tmp_path / "missing"
    as_value.mkdir()
    as_missing.mkdir()
    missing = Example(SIA).with_missing(NO_INFORMATION).measures(as_missing)
    value = Example(SIA).measures(as_value)
    pd.testing.assert_frame_equal(missing.collective, value.collective)


def by_privattacks(frame, qids, sensitive):
    """Return posteriors of CRS and CAS, probabilistic."""
    library = pytest.importorskip("privattacks", reason="needs the oracles group")
    attack = library.Attack(library.Data(dataframe=frame.copy()))
    inference = attack.posterior_vulnerability("ai", qids, [sensitive])
    return attack.posterior_vulnerability("reid", qids), inference[sensitive]


def by_bvmlib(frame, qids, sensitive):
    """Return posteriors of CRS and CAS, deterministic and then probabilistic."""
    library = pytest.importorskip("bvmlib", reason="needs the oracles group")
    attack = library.BVM(frame.copy())
    attack.qids(qids)
    attack.sensitive([sensitive])
    found = attack.assess()
    crs, cas = found["re_id"].iloc[0], found["att_inf"].iloc[0]
    numbers = [crs["dCR"], cas["dCA"], crs["Posterior"], cas["Posterior"]]
    return [float(number) for number in numbers]


# All subsets of Adult take them a minute; those of 1 and of 7 QIDs are 8.
@pytest.mark.oracle
@pytest.mark.parametrize("sizes", [(1, 7), *long(((),))], ids=str)
def test_privattacks_and_bvmlib_find_the_same(name, example, measures, sizes):
    subsets = example.subsets(*(sizes if name == SIA else (1, 7)))
    ours = measures.collective.set_index(["qids", "sensitive"])
    frame = example.frame()
    for qids, sensitive in itertools.product(subsets, example.analysis.sensitive):
        both = ours.loc[[("|".join(qids), ""), ("|".join(qids), sensitive)]]
        certain, guessed = both["posterior_det"], both["posterior_prob"]
        assert by_privattacks(frame, qids, sensitive) == pytest.approx([*guessed])
        assert by_bvmlib(frame, qids, sensitive) == pytest.approx([*certain, *guessed])


@pytest.mark.long
@pytest.mark.oracle
def test_missing_numbers_are_blocks_of_their_own_for_bvmlib_and_not_for_privattacks():
    example = Example(SIA)
    frame = example.frame()
    (sensitive,) = example.analysis.sensitive
    race = pd.to_numeric(frame[RACE]).astype(float)
    frame[RACE] = race.where(race != int(NO_INFORMATION), np.nan)
    ours = assess(frame, example.analysis.qids, [sensitive])
    ours = ours.set_index(["qids", "sensitive"])["posterior_prob"]
    excess = []
    for qids in example.subsets():
        crs, cas = ours["|".join(qids), ""], ours["|".join(qids), sensitive]
        assert by_privattacks(frame, qids, sensitive) == pytest.approx((crs, cas))
        excess.append(by_bvmlib(frame, qids, sensitive)[2] - crs)
    assert (sum(e > 1e-9 for e in excess), max(excess)) == (64, pytest.approx(0.59))


@pytest.mark.oracle
def test_a_missing_sensitive_value_is_no_value_for_bvmlibs_prior():
    library = pytest.importorskip("bvmlib", reason="needs the oracles group")
    example = Example(SIA)
    frame = example.frame().astype(object)
    (sensitive,) = example.analysis.sensitive
    most_frequent = frame[sensitive].mode().iloc[0]
    frame.loc[frame[sensitive] == most_frequent, sensitive] = None
    attack = library.BVM(frame)
    attack.qids(["PA_SEXO"])
    attack.sensitive([sensitive])
    theirs = float(attack.assess()["att_inf"].iloc[0]["Prior"])
    ours = assess(frame, ["PA_SEXO"], [sensitive])["prior_prob"].iloc[1]
    assert (theirs, ours) == (0.12, 0.26)
