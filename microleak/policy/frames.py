"""The limits of a policy tried on one frame, without a study."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.base.errors import StudyError
from microleak.families import FAMILIES, function
from microleak.policy.limits import Policy, policy_of, read_policy
from microleak.policy.verdicts import GivenTable, Verdict, verdicts
from microleak.records.frames import column_names

_GIVEN = frozenset({"frame", "qids", "sensitive"})
"""What a function may need, so that one frame is enough for it."""


def check(
    frame: Any,
    policy: str | Path | Mapping[str, Any],
    *,
    qids: Sequence[str] | None = None,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Try the limits of a policy on a frame, and say what came of each.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    policy
        Path of a policy (docs/check.md), or what it says.
    qids
        Quasi-identifiers. Without them they are the facts that the policy names or, if
        it names none, all columns but its sensitive attributes.
    n_threads
        Threads to use, all cores if none are given; results do not depend on it.

    Returns
    -------
    pandas.DataFrame
        A row for each limit: `limit`, `status` (kept, broken, accepted or unmeasured),
        `severity`, `measure`, `bound`, `n_rows` that it is about, `worst` of them,
        `n_broken`, the set of facts `qids` of the worst one, and `why`.

    Raises
    ------
    StudyError, TableError
        If the policy cannot be read, or the frame lacks a column.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 25, 60], "HIV": ["n", "n", "y"]})
    >>> alike = {"name": "k", "measure": "anonymity.k_anonymity", "at_least": 2}
    >>> policy = {"version": 1, "name": "Two", "sensitive": ["HIV"], "limits": [alike]}
    >>> found = check(people, policy)
    >>> found[["limit", "status", "worst", "qids"]]
      limit  status  worst qids
    0     k  broken    1.0  age
    """
    read = (
        policy_of(policy) if isinstance(policy, Mapping) else read_policy(Path(policy))
    )
    if qids is None:
        qids = known_of(read, column_names(frame, "check"))
    found = frame_verdicts(read, frame, qids, n_threads)
    return pd.DataFrame(map(_row, found))


def known_of(policy: Policy, columns: Sequence[str]) -> list[str]:
    """Return the facts that a policy names, else all columns that it does not."""
    named = [name for facts in policy.every_set for name in facts] or columns
    return [name for name in dict.fromkeys(named) if name not in policy.sensitive]


def frame_verdicts(
    policy: Policy, frame: Any, qids: Sequence[str], n_threads: int | None = None
) -> Iterator[Verdict]:
    """Yield what comes of each limit on a frame, as `check` says it."""
    keys: dict[str, Any] = {"qids": [*qids], "sensitive": [*policy.sensitive]}
    sizes = [*range(1, min(policy.most_facts, len(qids)) + 1)]
    keys["subsets"] = {"sizes": sizes} if policy.most_facts else "all"
    tables = _tables(policy, frame, {**keys, "n_threads": n_threads})
    yield from verdicts(policy, tables, datetime.now(UTC).date())


def _tables(
    policy: Policy, frame: Any, keys: Mapping[str, Any]
) -> Iterator[GivenTable]:
    """Yield the tables that limits are about, each function called once."""
    wanted = {limit.table for limit in policy.limits}
    for family in FAMILIES:
        own = wanted.intersection(family.tables)
        if not own:
            continue
        name = family.functions[0]
        parameters = inspect.signature(function(name)).parameters
        needed = {n for n, p in parameters.items() if p.default is p.empty}
        if not needed <= _GIVEN:
            more = ", ".join(sorted(needed - _GIVEN))
            raise StudyError(
                f"The policy has a limit of {min(own)}, which one file does not tell: "
                f"it needs {more}. Try the policy on the results of a study."
            )
        if "sensitive" in needed and not keys["sensitive"]:
            raise StudyError(
                f"The policy has a limit of {min(own)}, which is of sensitive "
                "attributes, and names none. Add sensitive: [NAME]."
            )
        given = {each: value for each, value in keys.items() if each in parameters}
        if "sensitive" in given and parameters["sensitive"].annotation is str:
            if len(keys["sensitive"]) > 1:
                raise StudyError(
                    f"The policy has a limit of {min(own)}, which is of one sensitive "
                    "attribute, and names several. Write a policy for each."
                )
            (given["sensitive"],) = keys["sensitive"]
        for kind, rows in function(name)(frame, **given).of_study().items():
            if kind in own:
                if "attack" in rows:  # It links no release
                    rows["attack"] = rows["sensitive"].map(
                        lambda s: "CAS" if s else "CRS"
                    )
                yield GivenTable("", family.tables[kind], rows)


def _row(verdict: Verdict) -> dict[str, Any]:
    limit = verdict.limit
    return {
        "limit": limit.name,
        "status": verdict.status,
        "severity": limit.severity,
        "measure": limit.measure,
        "bound": limit.at_most or limit.at_least,
        "n_rows": verdict.n_rows,
        "worst": verdict.worst,
        "n_broken": len(verdict.broken),
        "qids": verdict.broken[0].of.get("qids", "") if verdict.broken else "",
        "why": verdict.why,
    }
