"""What of a table may be shown to whom.

For the audience `internal` a table stays as it was computed. For `public`:

1. A count from 1 to 9 is suppressed; zero is shown.
2. Every other count is rounded to the nearest 10, half to even (15 and 25 give
   20), totals too, so that a suppressed count does not follow from the rest.
3. A share is the quotient of two counts that are rounded so, also where one of them
   is not a column, so that it says nothing that these do not. It keeps three digits
   (0.1 percentage point), two in a table of fewer than 10,000 records, one of fewer
   than 1,000 and none of fewer than 100, as published. A share of a suppressed
   count, or of a suppressed number of records, is suppressed.
4. A ratio is made as a share is and keeps as many significant digits. In
   re-identification it is the number of blocks, and so a count.
5. A gain, leakage or other difference of two shares is that of the two published
   shares, and is suppressed if either is, so that it adds nothing to them.
   Beside a suppressed number of certain records the right guesses (`n_modal`) and what
   is made of them are suppressed too where, as shown, they are at most 10, or as many
   as all records together with the blocks; and numbers of blocks where they may tell
   how many records are alone. Tables that do not say how many are certain suppress
   what such a number may stand beside: groups and membership the blocks, states the
   right guesses (`published_blocks`).
6. What each attribute brings, and what goes together with the leakage of states, is
   computed from what is published of the measures or states, and suppressed where
   something that it needs is (`published_importance`, `published_explained`). The
   fits keep two decimals.
7. In a distribution of individual success the records come in whole blocks. A bin is
   rounded and suppressed by ten blocks of the smallest size that it can have instead
   of by 10, and further bins are suppressed until the total tells nothing of the
   small ones (`published_distributions`).
8. A mean belief is rounded to the digits of a share of the members of its group.
9. An entropy is whole bits, from 10,000 records one decimal, and suppressed below
   1,000 records.
10. A mean size of blocks is made from rounded counts. It and the expected size keep
   as many significant digits as a share of all blocks would, at most two, and are
   suppressed below 100 blocks.
11. Membership: beside a suppressed count of persons, or of blocks in excess, no number
    of blocks is shown, and no chance or ratio but the priors; nor that there are no
    uniques beside a suppressed count of persons who are not found. Where the uniques
    are shown as 20, those found and the persons not found are suppressed up to 14. A
    sum of chances is rounded as a count is, and divided by shown counts. Of a sample
    of fewer than 100, or of about half of its population or more, only sizes and
    priors are shown (`published_samples`).
12. A histogram of chances of presence, of sample uniques or of blocks has fixed
    classes. Each is the difference of two cumulative counts as shown, and suppressed
    if one of them is. Persons of the population by their chance, and numbers of
    blocks, are suppressed, and of sample uniques and of k-map the whole histogram if
    a cumulative count is; that of sample uniques also where the measures of its subset
    suppress a count of persons, and that of presence where they suppress all
    (`published_cumulative`, `published_classes`, `published_persons`). Subsets without
    sample uniques have rows as others have.
13. Records and entities in blocks below a size, and sample uniques of an anonymity
    analysis, are rounded to 50 and suppressed below 50, and wherever fewer than 100
    are shown in all. So are those of k-map below k, also where the population has not
    k times as many records (`published_anonymity`).
14. k, k-map and distinct l are suppressed below 10, 0 included; numbers of blocks
    beside a suppressed count of rule 13, and unsafe combinations unless shown counts
    say that there are none. What one block decides (entropy and recursive l, t,
    delta-presence) is always suppressed.
15. Estimates are computed from shown counts, and have the digits of a share of the
    sample uniques. That of Zayatz, which needs all sizes of blocks, is suppressed
    (`published_estimates`).
16. Privacy loss and utility of noisy counts are made of few rounded counts, the same
    for all epsilons; what these do not settle, and all that is measured of random
    samples, is suppressed; simulated guesses have no row (`published_mechanism`).
17. Rebuilt databases: random ones, and points, describe nobody and are shown as they
    are. Of persons' only what was asked is shown: seeds and all results are
    suppressed (`published_reconstruction`).

A suppressed cell is missing, and the column `suppressed` of its row names it
(names joined with `|`, empty if none). A column without a rule is refused, and so are
tables of rule 6 that were made from exact counts. The reasons are in
docs/decisions/0009-disclosure.md.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from microleak.columns import (
    ANONYMITY,
    BAD_POINTS,
    CLASSES,
    COLLECTIVE,
    COMPARISON,
    COUNTS,
    DISTRIBUTION,
    GAIN,
    GROUPS,
    INGEST,
    INGEST_COUNTS,
    MECHANISM,
    MEMBERSHIP,
    PAIRS,
    RECONSTRUCTION,
    SAMPLES,
    SHARES,
    SIMULATED,
    STATES,
    WORST,
)
from microleak.errors import StudyError
from microleak.study.published_anonymity import publish_anonymity
from microleak.study.published_blocks import tells_alone, tells_certain
from microleak.study.published_classes import publish_classes
from microleak.study.published_distributions import publish_distribution
from microleak.study.published_groups import publish_groups
from microleak.study.published_mechanism import (
    publish_mechanism,
    publish_pairs,
    publish_samples,
    publish_simulated,
)
from microleak.study.published_persons import publish_persons
from microleak.study.published_reconstruction import (
    publish_bad_points,
    publish_reconstruction,
)
from microleak.study.published_releases import (
    LINKED,
    publish_comparison,
    publish_gain,
    publish_linked,
)
from microleak.study.published_removed import publish_removed
from microleak.study.published_samples import publish_membership
from microleak.study.published_states import publish_states
from microleak.study.removed import REMOVED
from microleak.study.rounding import (
    count_of,
    cover,
    differences,
    digits_of,
    ratios,
    shares,
    shown,
    shown_counts,
)


def publish(table: pd.DataFrame, audience: str) -> pd.DataFrame:
    """Return what an audience may see of a table, by the rules of this module.

    Parameters
    ----------
    table
        A collective or worst table of measures, a distribution of individual
        success, the gains of one or more analyses, each with fewer auxiliary
        releases first, a comparison, the persons that releases have in common,
        the states, the groups of an analysis, membership of a sample, anonymity or
        classes of a table, noise or reconstruction measures, or the table of what was
        ingested. It is not changed. Presence and uniques are published beside
        membership (`publish_beside`).
    audience
        `internal` or `public`, as `report.audience` of the study file.

    Returns
    -------
    pandas.DataFrame
        `internal`: the same table. `public`: the same rows in the same order with
        a new index, counts as nullable integers, shares and ratios as floats, and
        the column `suppressed`; a distribution also has `share`, its bin's share
        of the records, in [0, 1], and may have further suppressed bins; groups have
        `share_likely` and `share_above_90`, of the members. Classes have rows of
        their own: all classes of each histogram. Simulated guesses have no row.

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


def publish_beside(
    tables: Mapping[str, pd.DataFrame], audience: str
) -> dict[str, pd.DataFrame]:
    """Return what an audience may see of all tables of one analysis, by their names.

    Each is that of `publish`. Only `presence` and `uniques` need another one: of them
    the public sees what `membership`, as published, does not suppress
    (`microleak.study.published_persons`). Errors are those of `publish`.
    """
    if audience != "public" or "membership" not in tables:
        return {name: publish(table, audience) for name, table in tables.items()}
    membership = publish(tables["membership"], audience)
    persons = publish_persons(membership, tables["presence"], tables["uniques"])
    return {"membership": membership} | persons


def _rule_for(table: pd.DataFrame) -> Callable[[pd.DataFrame], pd.DataFrame]:
    rules = [
        ({*COLLECTIVE}, _publish_measures),
        ({*WORST}, _publish_measures),
        ({*DISTRIBUTION}, publish_distribution),
        ({*GAIN}, publish_gain),
        ({*COMPARISON}, publish_comparison),
        ({*LINKED}, publish_linked),
        ({*STATES}, publish_states),
        ({*GROUPS}, publish_groups),
        ({*INGEST}, _publish_ingest),
        ({*REMOVED}, publish_removed),
        ({*MEMBERSHIP}, publish_membership),
        ({*ANONYMITY}, publish_anonymity),
        ({*CLASSES}, publish_classes),
        ({*MECHANISM}, publish_mechanism),
        ({*SAMPLES}, publish_samples),
        ({*SIMULATED}, publish_simulated),
        ({*PAIRS}, publish_pairs),
        ({*RECONSTRUCTION}, publish_reconstruction),
        ({*BAD_POINTS}, publish_bad_points),
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
    public = table.assign(**shown_counts(table, INGEST_COUNTS))
    return cover(public, public[[*INGEST_COUNTS]].isna())


def _publish_measures(table: pd.DataFrame) -> pd.DataFrame:
    is_inference = table["sensitive"].fillna("") != ""
    counts = _shown_measures(table, is_inference)
    n_records = counts["n_records"]
    prior = _shown_prior(table, is_inference)
    of_prior = shown(count_of(table["prior_det"], table["n_records"]))
    cells = {
        "prior_det": shares(of_prior, n_records),
        "posterior_det": shares(counts["n_certain"], n_records),
        "prior_prob": shares(prior, n_records),
        "posterior_prob": shares(counts["n_modal"], n_records),
        "degradation_prob": ratios(counts["n_modal"], prior, digits_of(n_records)),
    }
    for difference, kind in (("degradation_det", "det"), ("additive_leakage", "prob")):
        after, before = cells[f"posterior_{kind}"], cells[f"prior_{kind}"]
        cells[difference] = differences(after, before)
    public = table.assign(**counts, **cells)
    return cover(public, public[[*COUNTS, *SHARES]].isna())


def _shown_measures(
    table: pd.DataFrame, is_inference: pd.Series
) -> dict[str, pd.Series]:
    """Return the counts, without those that would tell few certain records."""
    counts = shown_counts(table, COUNTS)
    blocks = counts["n_blocks"]
    is_told = tells_certain(counts, blocks)
    of_subset = tells_alone(blocks, counts["n_records"])
    return counts | {
        "n_blocks": blocks.mask(of_subset.where(is_inference, is_told)),
        "n_modal": counts["n_modal"].mask(is_told),
    }


def _shown_prior(table: pd.DataFrame, is_inference: pd.Series) -> pd.Series:
    """Return the most frequent value's count as shown; 1 for re-identification.

    That one is one record in all of them by definition, not a count of anybody.
    """
    counts = count_of(table["prior_prob"], table["n_records"])
    return shown(counts).where(is_inference, 1)
