"""Which limits of a policy the numbers of result tables keep."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import pandas as pd

from microleak.policy.limits import Limit, Policy, are_in, worse_end
from microleak.tables.spec import TableSpec

KEPT, BROKEN, ACCEPTED, UNMEASURED = "kept", "broken", "accepted", "unmeasured"


class GivenTable(NamedTuple):
    """A result table, and where it is from."""

    path: str
    spec: TableSpec
    rows: pd.DataFrame


class BrokenRow(NamedTuple):
    """A row that breaks a limit: its file, its line there, and what it is of."""

    path: str
    line: int
    of: Mapping[str, str]
    number: float


@dataclass(frozen=True)
class Verdict:
    """What came of a limit."""

    limit: Limit
    status: str
    n_rows: int = 0  # Rows that it is about, which have a number if any has
    worst: float | None = None
    broken: Sequence[BrokenRow] = field(default=())  # The worst first
    why: str = ""  # Why it was accepted, or could not be measured

    @property
    def is_failed(self) -> bool:
        return self.status == BROKEN and self.limit.severity == "error"


def verdicts(
    policy: Policy, tables: Iterable[GivenTable], today: date
) -> Iterator[Verdict]:
    """Yield what comes of each limit, in the policy's order."""
    by_name: dict[str, list[GivenTable]] = {}
    for given in tables:
        by_name.setdefault(given.spec.name, []).append(given)
    for limit in policy.limits:
        yield _verdict(policy, limit, by_name.get(limit.table, []), today)


def _verdict(
    policy: Policy, limit: Limit, tables: Sequence[GivenTable], today: date
) -> Verdict:
    found: list[BrokenRow] = []
    n_rows, excused = 0, set[str]()
    numbers: list[float] = []
    for given in tables:
        column = worse_end(limit, given.spec)
        texts = [each.name for each in given.spec.columns if not each.is_number]
        wheres = [limit.where, *(each.where for each in policy.accept)]
        read = [name for name in given.rows if name in {column, *texts}.union(*wheres)]
        for line, row in enumerate(given.rows[read].to_dict("records"), 2):
            if not policy.counts(limit, row):
                continue
            n_rows += 1
            number = row[column]
            if pd.isna(number):
                continue
            numbers.append(float(number))
            if limit.keeps(float(number)):
                continue
            reasons = [
                each.why
                for each in policy.accept
                if each.limit == limit.name
                and today <= date.fromisoformat(each.until)
                and are_in(each.where, row)
            ]
            if reasons:
                excused.update(reasons)
            else:
                found.append(BrokenRow(given.path, line, _of(given.spec, row), number))
    # What a row cannot have is no reason to fail, but that no row has it is.
    if not numbers:
        name = limit.table
        said = f"of {name} {n_rows} rows that it is about have no {limit.column}."
        if not tables:
            said = f"there is no table {name}: no analysis makes it."
        elif not n_rows:
            said = f"no row of {name} is one that where, facts and sensitive say."
        return Verdict(limit, UNMEASURED, n_rows, why=said)
    worst = max(numbers) if limit.is_upper else min(numbers)
    found.sort(key=lambda each: each.number, reverse=limit.is_upper)
    status = BROKEN if found else ACCEPTED if excused else KEPT
    return Verdict(
        limit,
        status,
        len(numbers),
        worst,
        found,
        " ".join(sorted(excused)),
    )


def _of(spec: TableSpec, row: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a row, without values that tell of persons."""
    return {
        column.name: str(row[column.name])
        for column in spec.columns
        if column.type == "string" and column.disclosure == "none" and row[column.name]
    }


def became_worse(
    now: Sequence[Verdict], before: Sequence[Verdict]
) -> Iterator[tuple[Verdict, float, float]]:
    """Yield limits whose worst number is worse than before, with both."""
    known = {each.limit.name: each.worst for each in before}
    for verdict in now:
        earlier, worst = known.get(verdict.limit.name), verdict.worst
        if earlier is None or worst is None:
            continue
        if worst > earlier if verdict.limit.is_upper else worst < earlier:
            yield verdict, worst, earlier
