"""What a reader of the public tables of groups at risk knows."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

import pandas as pd

from microleak.disclosure.book import Book, Key
from microleak.disclosure.form import Rows, check_number, check_same
from microleak.disclosure.laws import ENDS, Subset, apart, below, modal
from microleak.disclosure.rounding import FEWEST_RECORDS
from microleak.disclosure.sizes import (
    Divided,
    known_groups,
    n_apart,
    n_combinations,
    name_of_group,
    records,
)
from microleak.family import grouping_name

_Shown = tuple[Key, str, Subset, Mapping[str, tuple[int, int]]]
"""A grouping that is shown: release, name, QIDs, and those alone and all of a group."""


def laws(
    book: Book, report: str, tables: Mapping[str, Mapping[str, pd.DataFrame]]
) -> None:
    """Write the numbers of `alone`, and that groups and what is left out are all.

    Parameters are those of `microleak.attacks.collective.laws.laws`.
    """
    for name, table in tables.get("alone", {}).items():
        file = f"{name}-alone.csv"
        _check_rows(book, file, table.to_dict("records"))
        rows = [*enumerate(table.to_dict("records"), 2)]
        of_attributes = {(row["attribute"], row["by"]) for _, row in rows}
        if len(of_attributes) != len({attribute for attribute, _ in of_attributes}):
            book.fault(file, ": two groupings of one attribute")
        for _, part in groupby(rows, key=lambda pair: pair[1]["by"]):
            shown = [*part]
            _, first = shown[0]
            by = grouping_name(first["by"], first["kind"])
            release = report, first["table"], str(first["focal"]), ""
            qids = first["qids"].split("|")
            alone = below(book, release, qids)[2]
            n = records(book, release)
            sizes = known_groups(book, release, by)
            if by in qids and sizes:
                below(book, release, [by])
            groups = {}
            for line, row in shown:
                value = row["value"] or ""
                size = sizes.get(value)
                count, members = _group(book, (*release, by, value), qids, size)
                if first["kind"] == "size" and first["by"] in qids:
                    _hold_to_sizes(book, release, (first["by"], value), qids, count)
                groups[value] = count, members
                cell = book.cell(file, line, "alone_pct")
                book.share(count, members, row["alone_pct"], row["step_pct"], cell)
                cell = book.cell(file, line, "alone_of_all_pct")
                of_all = row["alone_of_all_pct"], row["step_of_all_pct"]
                book.share(alone, n, *of_all, cell)
            if len(groups) < len(shown):
                book.fault(file, f": a group of {by} stands there twice")
            _left_out(book, (*release, by), qids, groups, alone)
            guessed = release, by, frozenset(qids), groups
            book.later.setdefault(_hold_others, []).append(guessed)


def _check_rows(book: Book, file: str, rows: Rows) -> None:
    """Note rows that are not of one release and its QIDs, or not in their order.

    Of a grouping the missing value is the first, then values and classes as texts, or
    sizes from the smallest on.
    """
    check_same(book, file, rows, "table", "focal", "qids")
    check_number(book, file, rows)
    groupings = [[*part] for _, part in groupby(rows, lambda row: row["by"])]
    if len(groupings) != len({row["by"] for row in rows}):
        book.fault(file, ": rows of a grouping are not together")
    for part in groupings:
        check_same(book, file, part, "attribute", "kind")
        values = [row["value"] or "" for row in part]
        if part[0]["kind"] == "size":
            ordered = sorted(values, key=_size)
        else:
            ordered = sorted(values)
        is_missing = [row["is_missing"] == "true" for row in part]
        if values != ordered or is_missing != [not value for value in values]:
            book.fault(file, f": groups of {part[0]['by']} are not in order")


def _size(value: str) -> int:
    """Return where a group of a size begins, as `1000-9999`; a missing one before 0."""
    least = value.partition("-")[0]
    return int(least) if least.isdecimal() else -1


def _group(book: Book, key: Key, qids: list[str], size: int | None) -> tuple[int, int]:
    """Return how many of a group are alone, and its members, known or not.

    Someone who alone has a value of a QID is alone; and of a group no more are than
    there are combinations of the other QIDs, nor than have not their most frequent
    values, and one.
    """
    report, table, focal, _, by, value = key
    members = book.number("members", report, table, focal, by, value)
    if size is not None:
        book.fix(members, size, size)
    count = book.number("alone", *key, frozenset(qids))
    book.hold({members: 1, count: -1})
    if size == 1 and by in qids:
        book.fix(count, 1, 1)
    if size is not None:
        release = report, table, focal, ""
        book.fix(count, 0, _most_alone(book, release, [size], {*qids} - {by}))
    return count, members


def _most_alone(
    book: Book, release: Key, sizes: Collection[int], others: Collection[str]
) -> int:
    """Return how many are alone at most in groups that other QIDs divide."""
    n_blocks = n_combinations(book, release, others)
    n_others = n_apart(book, release, others)
    if n_blocks is None or n_others is None:
        return book.most
    return Divided(sizes, n_blocks, n_others).most_below(ENDS[0])


def _hold_to_sizes(
    book: Book, release: Key, group: tuple[str, str], qids: list[str], count: int
) -> None:
    """Hold those alone of all values of a QID that have so many records.

    Laws 7 and 14: its groups, of which each is divided by the other QIDs, are known.
    """
    qid, sizes = group
    known = known_groups(book, release, qid)
    if not known or None in known:
        return
    least, end = _size(sizes), sizes.partition("-")[2]
    most = int(end) if end.isdecimal() else book.most
    missing = known.pop("", 0)
    within = [n for n in known.values() if least <= n <= most]
    of_group = within if sizes else [missing]
    most_alone = _most_alone(book, release, of_group, {*qids} - {qid})
    book.fix(count, sum(n == 1 for n in of_group), most_alone)


def _hold_others(book: Book, shown: Sequence[_Shown]) -> None:
    """Hold groups of a grouping to what else is known of the same ones.

    Law 23: with more QIDs no fewer of a group are alone, and few more where few records
    leave the main parts of blocks. Law 22: right guesses of the attribute itself are no
    fewer than any group has members, nor with QIDs than these and all others who are
    alone.
    """
    for release, by, qids, groups in shown:
        for other_release, other_by, fewer, others in shown:
            if (other_release, other_by) == (release, by) and fewer < qids:
                for value in (each for each in groups if each in others):
                    more, few = groups[value][0], others[value][0]
                    book.hold({more: 1, few: -1})
                    for leaving in apart(book, release, qids - fewer, fewer):
                        factors = {n: 2 * of for n, of in leaving.factors.items()}
                        constant = 2 * leaving.constant
                        book.hold({few: 1, more: -1, **factors}, constant)
        if not any(book.of_kind("modal", *release, by)):
            continue
        prior, right = (modal(book, release, by, each) for each in ((), qids))
        alone = below(book, release, qids)[2]
        for count, members in groups.values():
            book.hold({prior: 1, members: -1})
            book.hold({right: 1, members: -1, alone: -1, count: 1})


def _left_out(
    book: Book,
    key: Key,
    qids: list[str],
    groups: Mapping[str, tuple[int, int]],
    alone: int,
) -> None:
    """Hold groups and what is left out to be all: nothing, or records enough.

    Where the members of all groups are known, those left out are numbers, too; they
    are named by their place among the groups, and never by their value.
    """
    n = records(book, key)
    members = book.number("members left out", *key)
    book.none_or({members: 1}, FEWEST_RECORDS, "some left out", *key)
    book.equal([members, *(each for _, each in groups.values())], n)
    count = book.number("alone left out", *key, frozenset(qids))
    book.hold({members: 1, count: -1})
    book.equal([count, *(each for each, _ in groups.values())], alone)
    book.hidden(count, members, f"alone in what {key[-1]} leaves out")
    sizes = known_groups(book, key, str(key[-1]))
    if not sizes or groups.keys() - sizes.keys():
        return  # of which group the members are not known cannot be told
    hidden = {
        name_of_group(place, value): _group(book, (*key, value), qids, size)
        for place, (value, size) in enumerate(sizes.items(), 1)
        if value not in groups
    }
    book.equal((each for each, _ in hidden.values()), count)
    for name, (each, of) in hidden.items():
        book.hidden(each, of, f"alone of {name} of {key[-1]}")
