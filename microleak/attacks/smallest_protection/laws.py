"""What a reader of the public tables of searches for protection knows."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from microleak.attacks.smallest_protection.frontier_laws import Frontier, kept_of
from microleak.attacks.smallest_protection.public_frontier import MONOTONE
from microleak.attacks.smallest_protection.search_laws import (
    Searched,
    laws_of_searches,
    number_of,
)
from microleak.attacks.smallest_protection.target_laws import (
    Target,
    fail,
    keep,
    keep_alone,
)
from microleak.disclosure.book import Book, Cell, Key
from microleak.disclosure.form import Rows, check_number, check_same
from microleak.disclosure.laws import Subset, below
from microleak.disclosure.sizes import records

Row = Mapping[str, Any]


def laws(
    book: Book, report: str, tables: Mapping[str, Mapping[str, pd.DataFrame]]
) -> None:
    """Write the numbers of `answer` and `frontier`: a protection leaves no more alone.

    The answer keeps to its target, and the release that is not the answer fails it
    (law 12); so does what is finer than the answer (law 15). That every other change
    fails that loses less is not written, nor which QIDs fail where the adversary knows
    any so many; and what the answer loses is not published, as the bits of exact counts
    tell them. Parameters are those of
    `microleak.attacks.collective.laws.laws`.
    """
    for name, table in tables.get("answer", {}).items():
        file = f"{name}-answer.csv"
        _check_rows(book, file, table.to_dict("records"))
        for line, row in enumerate(table.to_dict("records"), 2):
            release = report, row["table"], str(row["focal"]), ""
            is_answer, holds = (row[flag] == "true" for flag in ("is_answer", "holds"))
            if holds != is_answer:
                book.fault(file, f", line {line}: holds is not is_answer")
            if row["n_changed"]:
                count = _after(book, release, row)
            else:
                count = below(book, release, _qids(row))[2]
            if is_answer:
                _keep_known(book, release, row)
            elif not row["n_changed"]:
                cell = book.cell(file, line, "target")
                fail(book, _target(row), release, _qids(row), cell)
            n, cell = records(book, release), book.cell(file, line, "alone_pct")
            book.share(count, n, row["alone_pct"], row["step_pct"], cell)
            n_changed = len(_names(row["left_out"])) + len(_names(row["levels"]))
            if row["n_changed"] != n_changed:
                book.fault(file, f", line {line}: n_changed is not the QIDs changed")
            if is_answer:
                found = tables.get("frontier", {}).get(name, table.head(0))
                frontier = _frontier(book, f"{name}-frontier.csv", found, row)
                _write_search(
                    book, release, row, frontier, book.cell(file, line, "levels")
                )
    answered = {name for name, table in tables.get("answer", {}).items() if len(table)}
    for name, table in tables.get("frontier", {}).items():
        if len(table) and name not in answered:
            book.fault(f"{name}-frontier.csv", ": its search has no answer")


def _write_search(
    book: Book, release: Key, answer: Row, frontier: Frontier | None, cell: Cell
) -> None:
    """Write the numbers of a frontier, and note what is told of all numbers."""
    if frontier:
        _write_frontier(book, release, frontier)
    searched = Searched(
        release,
        book.where,
        _target(answer),
        int(answer["step_pct"]),
        answer["qids"].split("|"),
        kept_of(answer["qids"], answer["left_out"], answer["levels"]),
        cell,
        answer["loss_of"] in MONOTONE,
        frontier,
    )
    book.later.setdefault(laws_of_searches, []).append(searched)


def _frontier(
    book: Book, file: str, table: pd.DataFrame, answer: Row
) -> Frontier | None:
    """Return the frontier of a search if there is one in the public form."""
    rows = table.to_dict("records")
    if not rows:
        return None
    same = "table", "focal", "qids", "left_out", "levels", "step_pct", "alone_pct"
    told = [[row[each] for each in same] for row in rows if row["is_answer"] == "true"]
    if told != [[answer[each] for each in same]]:
        book.fault(file, ": its answer is not that of the search")
        return None
    if answer["loss_of"] not in MONOTONE:
        book.fault(file, ": the loss of its search is not monotone")
        return None
    found = Frontier(book, file, rows)
    return found if found.shown else None


def _write_frontier(book: Book, release: Key, frontier: Frontier) -> None:
    """Write the numbers of a frontier."""
    for each in frontier.shown:
        count = number_of(book, release, frontier.qids, each.kept)
        cell = frontier.cell(each.line, "alone_pct")
        book.share(count, records(book, release), each.share, frontier.step, cell)


_SETTINGS = ("table", "focal", "target", "sensitive", "n_known", "qids", "loss_of")


def _check_rows(book: Book, file: str, rows: Rows) -> None:
    """Note rows besides the release and then the answer, or of other settings."""
    check_same(book, file, rows, *_SETTINGS)
    check_number(book, file, rows)
    answers = [row["is_answer"] == "true" for row in rows]
    changed = [row["n_changed"] > 0 for row in rows]
    if (answers, changed) not in (([], []), ([True], [False]), ([False, True],) * 2):
        book.fault(file, ": rows are not the release and then the answer")
    for line, row in enumerate(rows, 2):
        qids, levels = _names(row["qids"]), _names(row["levels"])
        names = [each.partition(":")[0] for each in levels]
        left_out = _names(row["left_out"])
        is_ordered = all(
            each == [name for name in qids if name in each]
            for each in (left_out, names)
        )
        if not is_ordered or {*left_out} & {*names}:
            book.fault(file, f", line {line}: changes are not those of its QIDs")
        bounds = [each.partition(":")[0] for each in row["target"].split("|")]
        if len({*bounds}) < len(bounds):
            book.fault(file, f", line {line}: its target has a bound twice")
        if not 1 <= row["n_known"] <= len(qids):
            book.fault(file, f", line {line}: n_known is no number of its QIDs")


def _after(book: Book, release: Key, row: Row) -> int:
    """Return the records alone after a change.

    With QIDs left out and no other change these are the blocks by the others. Else
    they are between those by the QIDs that are not left out and those by the others
    that are as they are.
    """
    left, same = _left(row), _same(row)
    if left and left == same:
        return below(book, release, left)[2]
    kept = kept_of(row["qids"], row["left_out"], row["levels"])
    found = number_of(book, release, _names(row["qids"]), kept)
    book.hold({below(book, release, left or _qids(row))[2]: 1, found: -1})
    if same:
        book.hold({found: 1, below(book, release, same)[2]: -1})
    if row["n_known"] >= len(left):
        keep_alone(book, _target(row), found, records(book, release))
    return found


def _keep_known(book: Book, release: Key, row: Row) -> None:
    """Hold the blocks to the target by QIDs that are as they are and may be known."""
    for subset in [*_known(book, release, _same(row), int(row["n_known"]))]:
        keep(book, _target(row), release, subset)


def _known(book: Book, release: Key, qids: Subset, n: int) -> Iterator[Subset]:
    """Yield the largest sets that have so many QIDs at most and are in the book."""
    if n >= len(qids):
        yield from [qids] if qids else []
        return
    subsets = {key[-2]: None for key, _ in book.of_kind("below", *release)}
    yield from (each for each in subsets if each <= qids and len(each) <= n)


def _target(row: Row) -> Target:
    bounds = dict(each.split(":") for each in row["target"].split("|"))
    return Target(bounds, _names(row["sensitive"]))


def _qids(row: Row) -> Subset:
    return frozenset(_names(row["qids"]))


def _left(row: Row) -> Subset:
    """Return the QIDs that are not left out."""
    return _qids(row) - {*_names(row["left_out"])}


def _same(row: Row) -> Subset:
    """Return the QIDs whose values are as they are."""
    return _left(row) - {each.partition(":")[0] for each in _names(row["levels"])}


def _names(joined: str) -> list[str]:
    return [name for name in joined.split("|") if name]
