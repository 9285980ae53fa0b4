"""What became of a public report, and its proof for a program without a solver."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from microleak.disclosure.book import Book, Row, Sum
from microleak.disclosure.exact import Refutation
from microleak.disclosure.proof import Proof, Proved


@dataclass(frozen=True)
class Outcome:
    """What became of a report.

    Attributes
    ----------
    faults
        Where it is not in the public form.
    book, proof
        What a reader knows, and what is proved of it.
    losses
        The epsilon of each publication that reports with noise name.
    """

    faults: tuple[str, ...]
    book: Book
    proof: Proof
    losses: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def is_proved(self) -> bool:
        """Whether nothing tells."""
        return not self.faults and not self.proof.leaks

    @property
    def is_contradictory(self) -> bool:
        """Whether no records at all have these numbers by the laws."""
        return any(each.claim is None and not each.is_open for each in self.proof.leaks)


def certificate(outcome: Outcome) -> dict[str, Any]:
    """Return what a program without a solver needs to check the proof, for JSON.

    `numbers` have a key and bounds; each of `rows` is a sum that is 0 or more; each of
    `witnesses` has a value of every number with which all rows hold; and a claim is
    proved by a witness whose `distance` is `within` or less. That of a group names the
    number of its members, `of`, and the distance from which on it may be told openly,
    `told_from`. Each share has two claims, and each group four. `refuted` says how
    nothing nearer can be, or nothing of what is presumed: of a claim without a witness,
    whose group has no members or of which ten or more are told openly, and of one that
    is farther off. Its rows are places in `rows` and then in `further`, whose last one
    is that the distance is less than `within`, or of a share of a known whole that it
    is at its end; no `chosen` row is among them.
    `epsilon` is of each publication that a report with noise names: such counts exclude
    nothing, and have no claims.
    """
    book, proof = outcome.book, outcome.proof
    bounds = zip(book.names, book.low, book.high, strict=True)
    return {
        "epsilon": {name: str(each) for name, each in outcome.losses.items()},
        "numbers": [
            {"key": [_plain(each) for each in key], "low": low, "high": high}
            for key, low, high in bounds
        ],
        "rows": [*map(_row, book.rows)],
        "witnesses": [list(each) for each in proof.witnesses],
        "claims": [*map(_claim, proof.proved)],
    }


def _plain(part: object) -> Any:
    return sorted(part) if isinstance(part, frozenset) else part


def _sum(of: Sum) -> dict[str, Any]:
    return {"constant": of.constant, "factors": [*map(list, of.factors.items())]}


def _row(row: Row) -> dict[str, Any]:
    found = _sum(row.sum)
    if row.cell:
        found["cell"] = str(row.cell)
    if row.is_chosen:
        found["chosen"] = True
    return found


def _claim(each: Proved) -> dict[str, Any]:
    found = {
        "about": str(each.claim.about),
        "end": each.claim.end,
        "distance": _sum(each.claim.distance),
        "within": each.distance,
        "witness": each.witness,
    }
    if each.claim.of is not None:
        found |= {"of": each.claim.of, "told_from": each.claim.told_from}
    if each.refutation:
        found["further"] = [_sum(row.sum) for row in each.further]
        found["refuted"] = _refuted(each.refutation)
    return found


def _refuted(one: Refutation) -> dict[str, Any]:
    """Return how rows contradict one another."""
    found: dict[str, Any] = {"rows": list(one.rows)}
    if one.sum:
        found["sum"] = [*map(list, one.sum.items())]
    if one.cases:
        found |= {"number": one.number, "cases": [*map(_refuted, one.cases)]}
    return found
