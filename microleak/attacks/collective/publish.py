"""What the public sees of a study, all of it (docs/decisions/0014-public-form.md).

A number is a share of a whole table, rounded so coarsely that none cannot be told from
few, nor all from nearly all. Which rows are shown follows from such numbers alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from gettext import gettext as _
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.laws import laws
from microleak.attacks.collective.margin import margin
from microleak.base.errors import StudyError
from microleak.base.progress import tell
from microleak.disclosure.book import Book, Key
from microleak.disclosure.proof import tells
from microleak.disclosure.rounding import (
    FEWEST_RECORDS,
    percent,
    records_of,
    rounded_records,
    step_of,
)
from microleak.disclosure.sizes import records, values_of
from microleak.family import GroupSize, Publication, measured, people
from microleak.records.singles import single_sizes
from microleak.sources.steps.intermediate import receipt, rows_where
from microleak.study_file.model import Study
from microleak.tables.files import check_parquet, read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")
_OF_STUDY = tables_of("microleak.study")

CLASS_ENDS = (2, 5, 10, 100)
"""Sizes of blocks at which each class but the first begins."""


def published_blocks(
    success: Path, analysis: Collective, finest: int = 1
) -> pd.DataFrame:
    """Return the blocks of combinations by size, in classes, as the table `blocks`.

    The shares of records in blocks below each of `CLASS_ENDS` are rounded, and a class
    is the difference of two of them: the classes add up to 100, which says nothing of
    what was rounded. The worst combination has the largest of these shares, that of the
    smallest blocks first; of equals it is the first in the study's order.

    Parameters
    ----------
    success
        The analysis's records by exact success (`collective.measure`).
    analysis
        Measured with all of its auxiliary releases linked.
    finest
        No step is finer, in percent.
    """
    panel = pc.field("auxiliary") == "|".join(analysis.auxiliary)
    is_wanted = panel & (pc.field("sensitive") == "")
    names = ["qids", "n_qids", "denominator", "n_records"]
    check_parquet(success, TABLES["success"])
    sizes = rows_where(success, is_wanted, names).to_pandas()
    for end in CLASS_ENDS:
        is_below = sizes["denominator"] < end
        sizes[f"below_{end}"] = sizes["n_records"].where(is_below, 0)
    sizes["qids"] = sizes["qids"].astype("str")
    subsets = sizes.groupby(["qids", "n_qids"], sort=False).sum().reset_index()
    n_records = int(subsets["n_records"].iloc[0])
    step = step_of(n_records, finest)
    if step is None:
        return TABLES["blocks"].frame([])
    below = [f"below_{end}" for end in CLASS_ENDS]
    for name in below:
        subsets[name] = percent(subsets[name], n_records, step)
    shown = _chosen(subsets, below)
    cumulative: list[Any] = [0, *(shown[name] for name in below), 100]
    for name, (first, last) in zip(
        TABLES["blocks"].saying("share"), pairwise(cumulative), strict=True
    ):
        shown[name] = last - first
    return _described(shown, analysis, step)[TABLES["blocks"].names]


def published_inference(
    collective: pd.DataFrame, analysis: Collective, finest: int = 1
) -> pd.DataFrame:
    """Return how often the best guess is right, as the table `inference`.

    Without QIDs (`prior_pct`) and with a combination of them. Of whom a value is
    certain is not shown: it tells which blocks of known sizes have one value only.

    Parameters
    ----------
    collective
        Collective measures of the analysis. They are not changed.
    analysis, finest
        As for `published_blocks`.
    """
    rows = _inferred(collective, analysis)
    n_records = int(rows["n_records"].max()) if len(rows) else 0
    step = step_of(n_records, finest)
    if step is None:
        return TABLES["inference"].frame([])
    most_frequent = (rows["prior_prob"] * n_records).round().astype("int64")
    rows = rows.assign(
        prior_pct=percent(most_frequent, n_records, step),
        posterior_pct=percent(rows["n_modal"], n_records, step),
    )
    parts = [
        _chosen(part, ["posterior_pct"])
        for _, part in rows.groupby("sensitive", sort=False)
    ]
    return _described(pd.concat(parts), analysis, step)[TABLES["inference"].names]


def _inferred(collective: pd.DataFrame, analysis: Collective) -> pd.DataFrame:
    """Return the inferences of an analysis with all of its releases linked."""
    is_of_panel = collective["auxiliary"] == "|".join(analysis.auxiliary)
    return collective[is_of_panel & (collective["sensitive"] != "")]


def published_releases(ingest: pd.DataFrame) -> pd.DataFrame:
    """Return the releases, as the table `releases`.

    Their records are rounded to the nearest 100, and missing below `FEWEST_RECORDS`;
    which rows were refused or removed, and the archives' hashes, are not there.
    """
    exact = ingest["n_records"].astype("Int64")
    rounded = rounded_records(exact)
    shown = ingest.assign(n_records=rounded.where(exact >= FEWEST_RECORDS))
    return shown[tables_of("microleak.study")["releases"].names]


def published_drawn(study: Study) -> pd.DataFrame:
    """Return of which attributes values were drawn anew, as the table `drawn`."""
    attacked = {
        (table, release)
        for analyses in study.analyses.values()
        for analysis in analyses.values()
        for table, release, _ in analysis.needs
    }
    rows = {
        (table, release, method, attribute)
        for table, release in attacked
        for made in study.tables[table].chain(release)
        for step in made.steps
        for method, names in (("randomise", step.randomise), ("swap", step.swap))
        for attribute in names or ()
    }
    spec = _OF_STUDY["drawn"]
    return spec.frame(dict(zip(spec.names, row, strict=True)) for row in sorted(rows))


def _chosen(rows: pd.DataFrame, shares: Sequence[str]) -> pd.DataFrame:
    """Keep single attributes and the worst of each size; the full set is one of these.

    Both follow from published shares and the order of the rows.
    """
    ordered = rows.sort_values([*shares], ascending=False, kind="stable")
    is_worst = rows.index.isin(ordered.drop_duplicates("n_qids").index)
    return rows.assign(is_worst=is_worst)[is_worst | (rows["n_qids"] == 1)]


def _described(rows: pd.DataFrame, analysis: Collective, step: int) -> pd.DataFrame:
    return rows.assign(
        analysis=analysis.name,
        table=analysis.table,
        focal=analysis.focal,
        auxiliary="|".join(analysis.auxiliary),
        is_worst=rows["is_worst"].map({True: "true", False: "false"}),
        step_pct=step,
    )


def public(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of a public report, all of them, with their names.

    Raises
    ------
    StudyError
        If an analysis links a release by fewer attributes than its QIDs.
    """
    for name, analysis in study.analyses["collective"].items():
        if analysis.fewer:
            raise StudyError(
                f"The analysis {name!r} links {' and '.join(analysis.fewer)} by fewer "
                "attributes than its QIDs, which a public report does not tell. Link "
                "by all of them, or set report.audience to internal."
            )
    measures = study_dir / "measures"
    ingest = read_table(measures / "ingest.csv", _OF_STUDY["ingest"])
    yield "releases", published_releases(ingest)
    yield "drawn", published_drawn(study)
    is_guessed = all(n for *_, n in _margins(study, study_dir))
    if not is_guessed:
        tell(
            _(
                "warning: {study}: the public report leaves out how often best guesses "
                "are right, as readers who know the quasi-identifiers of everybody "
                "might learn somebody's value from these numbers "
                "(docs/decisions/0027-public-proof.md)"
            ).format(study=study.name)
        )
    blocks, inferences = dict[str, pd.DataFrame](), dict[str, pd.DataFrame]()
    for name, analysis in study.analyses["collective"].items():
        success = measures / f"success/{name}.parquet"
        blocks[name] = published_blocks(success, analysis, study.step)
        path = study_dir / measured("collective", name)
        exact = read_table(path, TABLES["collective"])
        shown = published_inference(exact, analysis, study.step)
        inferences[name] = shown if is_guessed else shown.head(0)
    if any(len(each) for each in inferences.values()):
        of_people = single_sizes(
            singles(study), lambda *place: study_dir / people(*place)
        )
        known = *sizes(study, study_dir), *of_people
        inferences = _telling_nothing(study, blocks, inferences, known)
    for name, table in blocks.items():
        yield f"blocks/{name}", table
        yield f"inference/{name}", inferences[name]


def _telling_nothing(
    study: Study,
    blocks: Mapping[str, pd.DataFrame],
    inferences: Mapping[str, pd.DataFrame],
    of_groups: Sequence[GroupSize],
) -> dict[str, pd.DataFrame]:
    """Leave out right guesses that tell of few, also to who knows the sizes of groups.

    Of each attribute of a table those with the fewest QIDs first, which bind the groups
    of a single one most, until the others tell nothing.
    """
    tables = {name: a.table for name, a in study.analyses["collective"].items()}
    guessed = pd.concat([each.assign(at=name) for name, each in inferences.items()])
    guessed = guessed.assign(of=guessed["at"].map(tables))
    finest = min(int(each["step_pct"].min()) for each in blocks.values() if len(each))
    least = dict[tuple[str, str], int]()
    for key, rows in guessed.groupby(["of", "sensitive"], sort=False):
        table, sensitive = map(str, key)
        own = {name: each for name, each in blocks.items() if tables[name] == table}
        known = [each for each in of_groups if each[0] == table]
        for n_qids in range(1, int(rows["n_qids"].max()) + 2):
            least[table, sensitive] = n_qids
            some = rows[rows["n_qids"] >= n_qids]
            shown = {str(name): part for name, part in some.groupby("at", sort=False)}
            told = (_leaks(own, shown, known, finest, each) for each in (False, True))
            if not any(told):
                break
        if n_qids > 1:
            is_none = n_qids > rows["n_qids"].max()
            by = _(" with fewer than {n} quasi-identifiers").format(n=n_qids)
            tell(
                _(
                    "{study}: the public report is made without how often best "
                    "guesses of {sensitive} of {table} are right{by}: with that, "
                    "someone who knows how many have each value of the quasi-"
                    "identifiers would learn something about few people. Nothing has "
                    "to be done (docs/decisions/0027-public-proof.md)"
                ).format(
                    study=study.name,
                    sensitive=sensitive,
                    table=table,
                    by="" if is_none else by,
                )
            )
    return {
        name: each[
            [
                n >= least[tables[name], sensitive]
                for n, sensitive in zip(each["n_qids"], each["sensitive"], strict=True)
            ]
        ]
        if len(each)
        else each
        for name, each in inferences.items()
    }


def _leaks(
    blocks: Mapping[str, pd.DataFrame],
    inferences: Mapping[str, pd.DataFrame],
    of_groups: Iterable[GroupSize],
    finest: int,
    are_known: bool,
) -> bool:
    """Say whether tables tell a reader, or may, to whom sizes are known or are not.

    They are of a report with this finest step.
    """
    known: dict[Key, dict[str, dict[str, int]]] = {}
    for table, focal, by, value, n in of_groups:
        known.setdefault(("", table, focal), {}).setdefault(by, {})[value] = n
    ends = {release: (of[""][""],) * 2 for release, of in known.items()}
    if not are_known:
        ends = {of: records_of(rounded_records(n)) for of, (n, _) in ends.items()}
    book = Book(max(n for _, n in ends.values()), sizes=known if are_known else {})
    book.finest = finest
    for release, both in ends.items():
        book.fix(records(book, release), *both)
    laws(book, "", {"blocks": blocks, "inference": inferences})
    return tells(book)


def public_needs(study: Study) -> Iterator[str]:
    """Yield what `public` reads."""
    yield "measures/ingest.csv"
    yield from sizes_needs(study)
    for name, analysis in study.analyses["collective"].items():
        yield f"measures/success/{name}.parquet"
        yield from (people(analysis.table, each) for each in analysis.releases)


def exact_counts(collective: pd.DataFrame, analysis: Collective) -> pd.DataFrame:
    """Return the counts of a public report with noise, as they are without it.

    With all QIDs, and with all auxiliary releases linked. One record more or fewer
    changes each by 1 at most: a new block is one more that is alone, one that joins a
    block of one makes one fewer, and the count of a most frequent value grows by 0 or
    1. Of how many a value is certain is not there: one record changes that for all of
    its block.

    Parameters
    ----------
    collective
        Collective measures of the analysis. They are not changed.
    analysis
        It has the set of all QIDs among its subsets.
    """
    is_of_panel = collective["auxiliary"] == "|".join(analysis.auxiliary)
    is_full = collective["n_qids"] == len(analysis.qids)
    rows = collective[is_of_panel & is_full]
    found = []
    for row in rows.to_dict("records"):
        n_records, guesses = (
            row["n_records"],
            round(row["prior_prob"] * row["n_records"]),
        )
        if row["sensitive"]:
            counts = {"most_frequent": guesses, "right_guesses": row["n_modal"]}
        else:
            counts = {"records": n_records, "alone": row["n_certain"]}
        found += [row | {"statistic": n, "n_noisy": e} for n, e in counts.items()]
    return TABLES["noisy_counts"].frame(found)


def counts(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the counts of a public report with noise, as they are without it."""
    for name, analysis in _counted(study):
        path = study_dir / measured("collective", name)
        exact = read_table(path, TABLES["collective"])
        yield f"noisy_counts/{name}", exact_counts(exact, analysis)


def counts_needs(study: Study) -> Iterator[str]:
    """Yield what `counts` reads, and the records that it counts."""
    for name, analysis in _counted(study):
        yield measured("collective", name)
        yield from (people(analysis.table, each) for each in analysis.releases)


def _counted(study: Study) -> Iterator[tuple[str, Collective]]:
    """Yield the analyses that measure all QIDs, of releases as they were released.

    In a release that is made of another, one person may change many records.
    """
    for name, analysis in study.analyses["collective"].items():
        of = {(analysis.table, each) for each in analysis.releases}
        if of.isdisjoint(study.made) and (1 << len(analysis.qids)) - 1 in (
            analysis.subsets
        ):
            yield name, analysis


def singles(study: Study) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the QIDs of each release that an analysis has, linked ones too."""
    for analysis in study.analyses["collective"].values():
        for release in analysis.releases:
            yield analysis.table, release, analysis.fewer.get(release, analysis.qids)


def sizes(study: Study, study_dir: Path) -> Iterator[GroupSize]:
    """Yield how many records each analysis has, and values each sensitive attribute."""
    for name, analysis in study.analyses["collective"].items():
        path = study_dir / measured("collective", name)
        n_records = int(read_table(path, TABLES["collective"])["n_records"].max())
        release = analysis.table, str(analysis.focal)
        yield *release, "", "", n_records
        entropy = read_table(study_dir / measured("entropy", name), TABLES["entropy"])
        of_values = entropy[entropy["role"] == "sensitive"]
        for row in of_values.to_dict("records"):
            yield *release, values_of(row["attributes"]), "", int(row["n_blocks"])


def sizes_needs(study: Study) -> Iterator[str]:
    """Yield what `sizes` reads."""
    for name in study.analyses["collective"]:
        yield measured("collective", name)
        yield measured("entropy", name)


def margins(study: Study, study_dir: Path) -> Iterator[tuple[str, str, int]]:
    """Yield of how many persons sensitive values may be any for who knows all QIDs.

    By table and attribute: what all analyses show stays the same. None if one is 0:
    then the page shows no guesses.
    """
    found = [*_margins(study, study_dir)]
    if all(n for *_, n in found):
        yield from found


def _margins(study: Study, study_dir: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the margin of each attribute of a table, in all analyses together.

    Attributes that are a QID of some analysis are known, and have none.
    """
    analyses = study.analyses["collective"]
    known = {(each.table, qid) for each in analyses.values() for qid in each.qids}
    inferences: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for name, analysis in analyses.items():
        path = study_dir / measured("collective", name)
        rows = _inferred(read_table(path, TABLES["collective"]), analysis)
        for sensitive, part in rows.groupby("sensitive", sort=False):
            key = analysis.table, str(sensitive)
            if step_of(int(part["n_records"].iloc[0])) and key not in known:
                inferences.setdefault(key, []).append(part)
    for (table, sensitive), parts in inferences.items():
        yield table, sensitive, margin(*parts, finest=study.step)


def facts(study: Study, study_dir: Path) -> dict[str, Any]:
    """Return the adversaries of the study, and of each analysis what no table has."""
    return {
        "adversaries": [
            {"name": who.name, "qids": who.qids, "labels": who.labels}
            for who in study.shared["scenarios"]
        ],
        "analyses": {
            name: {
                "part_of": analysis.part_of,
                "fewer": analysis.fewer,
                "groups": {
                    each.name: {
                        "attribute": each.attribute,
                        "n_values": len(each.values),
                    }
                    for each in analysis.groups
                },
                "linked": linked_persons(study_dir, analysis),
            }
            for name, analysis in study.analyses["collective"].items()
        },
    }


def linked_persons(study_dir: Path, analysis: Collective) -> list[dict[str, Any]]:
    """Return how many focal persons each linked release of an analysis has."""
    found = []
    for path, auxiliary in zip(_receipts(analysis), analysis.auxiliary, strict=True):
        counts = receipt(study_dir / path)
        numbers = {name: counts[name] for name in ("n_focal", "n_linked")}
        found.append({"auxiliary": auxiliary, **numbers})
    return found


def needs(study: Study) -> list[str]:
    """Return the receipts of the releases that are linked, each once."""
    analyses = study.analyses["collective"].values()
    return sorted({path for each in analyses for path in _receipts(each)})


def _receipts(analysis: Collective) -> list[str]:
    folder = f"panels/{analysis.table}/{analysis.focal}"
    return [f"{folder}/{release}.json" for release in analysis.auxiliary]


PUBLICATION = Publication(
    (
        *("collective", "worst", "distribution", "values", "importance", "gain"),
        *("groups", "comparison", "states", "explained"),
    ),
    facts,
    needs,
    public,
    public_needs,
    laws,
    singles,
    sizes,
    sizes_needs,
    counts,
    counts_needs,
    margins,
)
