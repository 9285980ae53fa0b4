"""What a reader of the public tables of searches for protection knows."""

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from microleak.disclosure.book import Book
from microleak.disclosure.laws import below, records


def laws(
    book: Book, report: str, tables: Mapping[str, Mapping[str, pd.DataFrame]]
) -> None:
    """Write the numbers of `answer`: a protection leaves no more records alone.

    What the target promises of the answer is known as well. Parameters are those of
    `microleak.attacks.collective.laws.laws`.
    """
    for name, table in tables.get("answer", {}).items():
        file = f"{name}-answer.csv"
        for line, row in enumerate(table.to_dict("records"), 2):
            release = report, row["table"], str(row["focal"]), ""
            n = records(book, release)
            qids = row["qids"].split("|")
            before = count = below(book, release, qids)[2]
            if row["n_changed"]:
                change = row["left_out"], row["levels"]
                count = book.number("alone after", *release, frozenset(qids), *change)
                book.hold({before: 1, count: -1})
            is_answer = str(row["is_answer"]).lower() == "true"
            if is_answer and row["n_known"] == row["n_qids"]:
                _keep_to(book, row["target"], count, n)
            cell = book.cell(file, line, "alone_pct")
            book.share(count, n, row["alone_pct"], row["step_pct"], cell)
            if row["loss_pct"] not in range(101):
                book.fault(file, f", line {line}, loss_pct: no whole percent")


def _keep_to(book: Book, target: str, count: int, n: int) -> None:
    """Hold the records that are alone after a protection to its target."""
    bounds = dict(each.split(":") for each in target.split("|"))
    if "k" in bounds or "l" in bounds:
        book.fix(count, 0, 0)
    if "alone" in bounds:
        most = Fraction(bounds["alone"])
        book.hold({n: most.numerator, count: -most.denominator})
