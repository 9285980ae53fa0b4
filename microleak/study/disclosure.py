"""What of a table may be shown to whom.

For the audience `internal` a table stays as it was computed. For `public`:

1. A count from 1 to 9 is suppressed; zero is shown.
2. Every other count is rounded to the nearest 10, half to even (15 and 25 give
   20), totals too, so that a suppressed count does not follow from the rest.
3. A share is the exact quotient of the exact counts, rounded to 0.1 percentage
   point, half to even; it is never a quotient of rounded counts. Where 0.1 point
   is less than ten records the step is ten times, or a hundred times, as wide,
   and below 100 records there are no shares: a finer step would show the count.
4. A ratio keeps three significant digits, and as many fewer as a share has. In
   re-identification it is a count (the number of blocks) and is rounded as one
   first.
5. A share or ratio whose numerator or denominator is suppressed is suppressed.
6. A gain, leakage or other difference of two shares is that of the two published
   shares, and is suppressed if either is, so that it adds nothing to them. Rounded
   from the exact counts it would: 0.1 point between two shares that are both
   shown as 0.2 % bounds the counts from both sides, at times to a single one.
7. In a distribution with exactly one suppressed bin a second one, the least
   other, is suppressed with it.
8. What each attribute brings is computed from the published shares, by rule 6, and
   suppressed where a share that it needs is (`published_importance`).
9. A mean belief is rounded as a share of the members of its group.
10. An entropy keeps one decimal and is missing where there are no shares. The mean
    and the expected size of blocks keep as many significant digits as a share of
    all blocks would, at most two, and are suppressed below 100 blocks: from more
    the number of blocks would follow.
11. A correlation, or a share of variance explained, keeps two decimals, and is
    suppressed where a value of a state that it is made from is.

A suppressed cell is missing, and the column `suppressed` of its row names it
(names joined with `|`, empty if none). A column without a rule is refused.
"""

from collections.abc import Callable
from fractions import Fraction

import pandas as pd

from microleak.columns import (
    COLLECTIVE,
    COMPARISON,
    COUNTS,
    DISTRIBUTION,
    EXPLAINED,
    GAIN,
    GROUPS,
    INGEST,
    INGEST_COUNTS,
    STATES,
    WHICH,
    WORST,
)
from microleak.errors import StudyError
from microleak.study.published_groups import publish_groups
from microleak.study.published_releases import (
    LINKED,
    publish_comparison,
    publish_gain,
    publish_linked,
)
from microleak.study.published_states import publish_explained, publish_states
from microleak.study.rounding import (
    count_of,
    cover,
    differences,
    digits_of,
    half_even,
    is_small,
    rounded_counts,
    rounded_shares,
    significant,
)

INDIVIDUAL_SUCCESS_OF_ONE = 100


def publish(table: pd.DataFrame, audience: str) -> pd.DataFrame:
    """Return what an audience may see of a table, by the rules of this module.

    Parameters
    ----------
    table
        A collective or worst table of measures, a distribution of individual
        success, the gains of one or more analyses, each with fewer auxiliary
        releases first, a comparison, the persons that releases have in common,
        the states, what explains their leakage, the groups of an analysis, or the
        table of what was ingested. It is not changed.
    audience
        `internal` or `public`, as `report.audience` of the study file.

    Returns
    -------
    pandas.DataFrame
        `internal`: the same table. `public`: the same rows in the same order with
        a new index, counts as nullable integers, shares and ratios as floats, and
        the column `suppressed`; a distribution also has `share`, its bin's share
        of the records, in [0, 1], and groups have `share_likely` and
        `share_above_90`, of the members.

    Raises
    ------
    StudyError
        If the audience is unknown, or the table has a column without a rule or
        lacks one.
    """
    if audience == "internal":
        return table
    if audience != "public":
        raise StudyError(
            f"Audience {audience} is unknown. Expected internal or public. "
            "Correct report.audience in the study file."
        )
    return _rule_for(table)(table.reset_index(drop=True))


def _rule_for(table: pd.DataFrame) -> Callable[[pd.DataFrame], pd.DataFrame]:
    rules = [
        ({*COLLECTIVE}, _publish_measures),
        ({*WORST}, _publish_measures),
        ({*DISTRIBUTION}, _publish_distribution),
        ({*GAIN}, publish_gain),
        ({*COMPARISON}, publish_comparison),
        ({*LINKED}, publish_linked),
        ({*STATES}, publish_states),
        ({*EXPLAINED}, publish_explained),
        ({*GROUPS}, publish_groups),
        ({*INGEST}, _publish_ingest),
    ]
    found = set(table.columns)
    for columns, rule in rules:
        if found == columns:
            return rule
    nearest = min(rules, key=lambda rule: len(found ^ rule[0]))[0]
    raise StudyError(
        "A table cannot be published: it has no rule for column "
        f"{', '.join(sorted(found - nearest)) or '(none)'} and lacks column "
        f"{', '.join(sorted(nearest - found)) or '(none)'}. "
        "Add a rule to microleak/study/disclosure.py or set report.audience to "
        "internal in the study file."
    )


def _publish_ingest(table: pd.DataFrame) -> pd.DataFrame:
    hidden = pd.DataFrame({c: is_small(table[c]) for c in INGEST_COUNTS})
    return cover(table.assign(**rounded_counts(table, INGEST_COUNTS)), hidden)


def _publish_distribution(table: pd.DataFrame) -> pd.DataFrame:
    counts = table["n_records"]
    subset = [table[column] for column in WHICH]
    totals = counts.groupby(subset, dropna=False, sort=False).transform("sum")
    small = is_small(counts)
    hidden = small | _complement(table, small, subset)
    shares = rounded_shares(counts, totals)
    public = table.assign(**rounded_counts(table, ["n_records"]), share=shares)
    return cover(
        public, pd.DataFrame({"n_records": hidden, "share": hidden | shares.isna()})
    )


def _complement(
    table: pd.DataFrame, small: pd.Series, subset: list[pd.Series]
) -> pd.Series:
    """Mark the least other bin of each distribution with one suppressed bin.

    The bin of certain success comes last: `n_certain` of the measures gives it
    away. Ties go to the lower bin.
    """
    alone = small.groupby(subset, dropna=False, sort=False).transform("sum") == 1
    order = pd.DataFrame(
        {
            "is_certain": table["bin"] == INDIVIDUAL_SUCCESS_OF_ONE,
            "n_records": table["n_records"],
            "bin": table["bin"],
        }
    )[alone & ~small].sort_values(["is_certain", "n_records", "bin"])
    keys = [column.loc[order.index] for column in subset]
    chosen = order.groupby(keys, dropna=False, sort=False).head(1).index
    return pd.Series(table.index.isin(chosen), index=table.index)


def _publish_measures(table: pd.DataFrame) -> pd.DataFrame:
    shares = {
        name: rounded_shares(numerator, table["n_records"])
        for name, numerator in _numerators(table).items()
    }
    public = table.assign(
        **rounded_counts(table, COUNTS),
        **shares,
        degradation_det=differences(shares["posterior_det"], shares["prior_det"]),
        degradation_prob=_rounded_ratios(table),
        additive_leakage=differences(shares["posterior_prob"], shares["prior_prob"]),
    )
    return cover(public, _hidden_measures(table, public))


def _prior_counts(table: pd.DataFrame) -> pd.Series:
    return count_of(table["prior_prob"], table["n_records"])


def _is_reidentification(table: pd.DataFrame) -> pd.Series:
    return table["sensitive"].fillna("") == ""


def _numerators(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Exact integers whose quotient by `n_records` each share is."""
    return {
        "prior_det": count_of(table["prior_det"], table["n_records"]),
        "posterior_det": table["n_certain"],
        "prior_prob": _prior_counts(table),
        "posterior_prob": table["n_modal"],
    }


def _hidden_measures(table: pd.DataFrame, public: pd.DataFrame) -> pd.DataFrame:
    """Say which cells are suppressed, for a small count of theirs or none left.

    The prior of re-identification is one record in all of them by definition,
    not a count of anybody, and is only rounded.
    """
    hidden = pd.DataFrame({c: is_small(table[c]) for c in COUNTS})
    prior = is_small(_prior_counts(table)) & ~_is_reidentification(table)
    certain, modal = hidden["n_certain"], hidden["n_modal"]
    shares = {
        "prior_det": pd.Series(False, index=table.index),
        "posterior_det": certain,
        "degradation_det": certain,
        "prior_prob": prior,
        "posterior_prob": modal,
        "degradation_prob": modal | prior,
        "additive_leakage": modal | prior,
    }
    return hidden.assign(**{c: is_ | public[c].isna() for c, is_ in shares.items()})


def _rounded_ratios(table: pd.DataFrame) -> pd.Series:
    """Ratios to as many significant digits as a share of the table has."""
    is_count = _is_reidentification(table)
    modal = table["n_modal"].where(~is_count, 10 * half_even(table["n_modal"], 10))
    prior = _prior_counts(table).where(~is_count, 1).clip(lower=1)
    ratios = [
        significant(Fraction(int(top), int(bottom)), int(digits))
        for top, bottom, digits in zip(
            modal, prior, digits_of(table["n_records"]), strict=True
        )
    ]
    return pd.Series(ratios, index=table.index, dtype="float64")
