"""What a reader of the public tables of groups at risk knows."""

from collections.abc import Mapping
from itertools import groupby

import pandas as pd

from microleak.disclosure.book import Book, Key
from microleak.disclosure.form import Rows, check_number, check_same
from microleak.disclosure.laws import (
    below,
    known_groups,
    most_in_small,
    n_combinations,
    name_of_group,
    records,
)
from microleak.disclosure.rounding import FEWEST_RECORDS
from microleak.family import grouping_name


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
                groups[value] = count, members
                cell = book.cell(file, line, "alone_pct")
                book.share(count, members, row["alone_pct"], row["step_pct"], cell)
                cell = book.cell(file, line, "alone_of_all_pct")
                of_all = row["alone_of_all_pct"], row["step_of_all_pct"]
                book.share(alone, n, *of_all, cell)
            if len(groups) < len(shown):
                book.fault(file, f": a group of {by} stands there twice")
            _left_out(book, (*release, by), qids, groups, alone)


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

    Who alone has a value of a QID is alone, and of a group no more are than there are
    combinations of the other QIDs.
    """
    report, table, focal, _, by, value = key
    members = book.number("members", report, table, focal, by, value)
    if size is not None:
        book.fix(members, size, size)
    count = book.number("alone", *key, frozenset(qids))
    book.hold({members: 1, count: -1})
    if size == 1 and by in qids:
        book.fix(count, 1, 1)
    n_blocks = n_combinations(book, (report, table, focal, ""), {*qids} - {by})
    if size is not None and n_blocks is not None:
        book.fix(count, 0, most_in_small(size, n_blocks, end=2))
    return count, members


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
