"""What a reader of the public tables of collective analyses knows."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, groupby
from typing import Any

import pandas as pd

from microleak.disclosure.book import Book, Key
from microleak.disclosure.form import Rows, check_number, check_order, check_same
from microleak.disclosure.group_laws import known_blocks
from microleak.disclosure.laws import ENDS, below, choose_guesses, modal
from microleak.disclosure.rounding import STEPS, members_of
from microleak.disclosure.sizes import records
from microleak.tables.spec import tables_of

_CLASSES = tables_of("microleak.attacks.collective")["blocks"].saying("share")
_RELEASE = ("table", "focal", "auxiliary")


def laws(
    book: Book, report: str, tables: Mapping[str, Mapping[str, pd.DataFrame]]
) -> None:
    """Write the numbers of `blocks` and `inference`, with the laws that bind them.

    Parameters
    ----------
    book
        It is written to.
    report
        Which of the reports that are read together the tables are of.
    tables
        Public tables by kind and analysis.
    """
    written: dict[str, list[Rows]] = {}
    for name, table in tables.get("blocks", {}).items():
        blocks: Rows = table.to_dict("records")
        written[name] = [blocks]
        _write_blocks(book, report, f"{name}-blocks.csv", blocks)
    for name, table in tables.get("inference", {}).items():
        rows = table.to_dict("records")
        parts: list[Rows] = [
            [*part] for _, part in groupby(rows, lambda row: row["sensitive"])
        ]
        written.setdefault(name, []).extend(parts)
        _write_inference(book, report, f"{name}-inference.csv", rows, parts)
    for name, parts in written.items():
        _check_rows(book, name, parts)
    for name, table in tables.get("noisy_counts", {}).items():
        _check_counts(book, f"{name}-noisy_counts.csv", table.to_dict("records"))
    for key, _ in [*book.of_kind("below", report)]:
        *panel, qids, end = key[1:]
        if end == ENDS[0] and len(qids) == 1:
            known_blocks(book, (*panel,), *qids)


def _write_blocks(book: Book, report: str, file: str, rows: Rows) -> None:
    """Write the records in blocks below each end, which are the sums of classes."""
    every = [[*accumulate(row[name] for name in _CLASSES[:-1])] for row in rows]
    _check_chosen(book, file, rows, every)
    for line, (row, shares) in enumerate(zip(rows, every, strict=True), 2):
        if shares[-1] + row[_CLASSES[-1]] != 100 or shares != sorted(shares):
            book.fault(file, f", line {line}: classes do not add up to 100")
        release, step = _release(report, row), row["step_pct"]
        n = records(book, release)
        counts = below(book, release, row["qids"].split("|")).values()
        for column, count, share in zip(_CLASSES, counts, shares, strict=False):
            book.share(count, n, share, step, book.cell(file, line, column))


def _write_inference(
    book: Book, report: str, file: str, rows: Rows, parts: Sequence[Rows]
) -> None:
    """Write the right guesses, without QIDs and with a set of them.

    Rows of one sensitive attribute are a part.
    """
    if len(parts) != len({row["sensitive"] for row in rows}):
        book.fault(file, ": rows of a sensitive attribute are not together")
    for part in parts:
        shares = [[row["posterior_pct"]] for row in part]
        _check_chosen(book, file, part, shares)
    for line, row in enumerate(rows, 2):
        release, step = _release(report, row), row["step_pct"]
        sensitive, qids = row["sensitive"], row["qids"].split("|")
        n = records(book, release)
        for column, subset in (("prior_pct", ()), ("posterior_pct", qids)):
            guesses = modal(book, release, sensitive, subset)
            cell = book.cell(file, line, column)
            book.share(guesses, n, row[column], step, cell)
        if step in STEPS:
            members, _ = members_of(step)
            fewest = int((2 * row["prior_pct"] - step) * members // 200)
            choose_guesses(book, release, sensitive, qids, fewest)


def _release(report: str, row: Mapping[str, Any]) -> Key:
    linked = "|".join(sorted((row["auxiliary"] or "").split("|")))
    return report, row["table"], str(row["focal"]), linked


def _check_chosen(
    book: Book, file: str, rows: Rows, shares: Sequence[Sequence[int]]
) -> None:
    """Note rows that the rules do not choose: singles, and the worst of each size."""
    check_number(book, file, rows)
    sizes = [len(row["qids"].split("|")) for row in rows]
    if sizes != sorted(sizes):
        book.fault(file, ": rows with more QIDs stand before some with fewer")
    for size in {*sizes}:
        places = [i for i, each in enumerate(sizes) if each == size]
        worst = max(places, key=lambda i: (*shares[i], -i))
        flagged = [i for i in places if rows[i]["is_worst"] == "true"]
        if flagged != [worst] or (size > 1 and len(places) > 1):
            book.fault(
                file, f": of {size} QIDs the rows are not those that the rules choose"
            )


def _check_rows(book: Book, name: str, parts: Sequence[Rows]) -> None:
    """Note rows of an analysis that are not those of one release and one set of QIDs.

    Each part has a row for each single QID and for each size, in the order of the study
    file, which all of them show; of guesses the first sizes may be left out.
    """
    rows = [row for part in parts for row in part]
    check_same(book, name, rows, *_RELEASE)
    named = [[row["qids"].split("|") for row in part] for part in parts]
    singles = [[*chain(*(qids for qids in each if len(qids) == 1))] for each in named]
    check_order(book, name, [*singles, *chain(*named)])
    sizes = [[*map(len, qids)] for qids in named]
    every = max(sizes, key=len, default=[])
    if any(each != [n for n in every if n >= min(each)] for each in sizes if each):
        book.fault(name, ": its tables have other sizes of sets of QIDs")


def _check_counts(book: Book, file: str, rows: Rows) -> None:
    """Note counts with noise that are not those of all QIDs, each once and in order."""
    check_same(book, file, rows, *_RELEASE, "qids")
    check_number(book, file, rows)
    sensitive = dict.fromkeys(row["sensitive"] or "" for row in rows)
    kinds = [("records", "alone"), ("most_frequent", "right_guesses")]
    wanted = [(name, kind) for name in sensitive for kind in kinds[name != ""]]
    if [(row["sensitive"] or "", row["statistic"]) for row in rows] != wanted:
        book.fault(file, ": counts are not those of the rules, each once and in order")
