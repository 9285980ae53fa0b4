"""What each attribute brings, as the public may see it.

Rounded from the exact counts it would say more than the shares that are published
(rule 6 of `microleak.study.disclosure`): each Shapley value is a sum of differences
of them. So it is computed from these shares, and says nothing that they do not.
"""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import IMPORTANCE, PANEL, SUCCESSES
from microleak.study.importance import all_known, complete_attacks, importance
from microleak.study.rounding import cover

_SCALE = 1_000
"""Published shares are whole thousandths."""

_ATTACK = [*PANEL, "sensitive"]
_MEASURED = [name for name in IMPORTANCE if name not in {*_ATTACK, "qid"}]


def published_importance(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the importance of each QID, from published shares alone.

    Parameters
    ----------
    collective
        Collective measures of one analysis, as published.

    Returns
    -------
    pandas.DataFrame
        As `microleak.study.importance.importance` gives it, and `suppressed`. A
        value is missing where a share that it needs is suppressed: its own, or for
        a Shapley value that of any subset or the prior. Shapley values are rounded
        to 0.1 percentage point.
    """
    found = importance(_in_thousandths(collective))
    flags = [
        flag for _, attack in complete_attacks(collective) for flag in _hidden(attack)
    ]
    public = found.assign(
        n_records=_sizes(found, collective),
        **{name: found[name].round(3) for name in ("shapley_det", "shapley_prob")},
    )
    return cover(public, pd.DataFrame(flags, columns=_MEASURED, dtype="bool"))


def _sizes(found: pd.DataFrame, collective: pd.DataFrame) -> pd.Series:
    """Return the published number of records of each row's attack."""
    sizes = collective.drop_duplicates(_ATTACK)[[*_ATTACK, "n_records"]]
    rows = found[_ATTACK].merge(sizes, on=_ATTACK, how="left", validate="many_to_one")
    return rows["n_records"]


def _in_thousandths(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the measures with published shares as counts of 1,000 records."""
    shares = {
        count: (_SCALE * collective[f"posterior_{name}"].fillna(0)).round()
        for name, count in SUCCESSES.items()
    }
    priors = {
        f"prior_{name}": collective[f"prior_{name}"].fillna(0) for name in SUCCESSES
    }
    return collective.assign(n_records=_SCALE, **shares, **priors)


def _hidden(attack: pd.DataFrame) -> Iterator[dict[str, bool]]:
    """Say, for each QID of an attack, which values need a share that is missing."""
    names = attack["qids"].map(lambda qids: frozenset(qids.split("|")))
    lost = {
        kind: dict(zip(names, attack[f"posterior_{kind}"].isna(), strict=True))
        | {frozenset(): bool(attack[f"prior_{kind}"].isna().any())}
        for kind in SUCCESSES
    }
    qids = frozenset(all_known(attack))
    for qid in all_known(attack):
        rest = qids - {qid}
        yield {
            "n_records": bool(attack["n_records"].isna().any()),
            "additive_leakage_without": lost["prob"][rest] or lost["prob"][frozenset()],
            **{f"posterior_{kind}": lost[kind][qids] for kind in SUCCESSES},
            **{f"posterior_{kind}_without": lost[kind][rest] for kind in SUCCESSES},
            **{f"shapley_{kind}": any(lost[kind].values()) for kind in SUCCESSES},
        }
