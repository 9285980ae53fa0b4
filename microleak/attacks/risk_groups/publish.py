"""What is published of who is at risk: the table; of large groups who is alone.

docs/decisions/0014-public-form.md has the rules of what the public sees.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from microleak.attacks.risk_groups.analysis import Grouping, RiskGroups
from microleak.attacks.risk_groups.laws import laws
from microleak.base.errors import StudyError
from microleak.disclosure.rounding import (
    FEWEST_RECORDS,
    percent,
    rounded_records,
    step_of,
)
from microleak.family import GroupSize, Publication, grouping_name, measured
from microleak.study_file.model import Study
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.risk_groups")


def published_alone(
    risks: pd.DataFrame, analysis: RiskGroups, finest: int = 1
) -> pd.DataFrame:
    """Return how many of each large group are alone in their block, as table `alone`.

    With all QIDs, and of an attribute the first grouping alone. Groups that are left
    out have at least `FEWEST_RECORDS` members together: else the smallest of the others
    is left out too.

    Parameters
    ----------
    risks
        The table `risk_groups` of the analysis. It is not changed.
    analysis
        The analysis, which has the set of all QIDs among its subsets.
    finest
        No step is finer, in percent.
    """
    is_shown = (risks["n_qids"] == len(analysis.qids)) & (risks["sensitive"] == "")
    rows = risks[is_shown]
    first = rows.drop_duplicates("attribute")["by"]
    groupings = rows[rows["by"].isin(first)].groupby("by", sort=False)
    large = pd.concat([rows.iloc[:0], *(_large(groups) for _, groups in groupings)])
    n_records = int(rows["n_records"].iloc[0])
    step_of_all = step_of(n_records, finest)
    if step_of_all is None or large.empty:
        return TABLES["alone"].frame([])
    steps = large["n_members"].map(lambda n: step_of(n, finest)).astype("int64")
    certain_of_all = large["n_certain_of_all"]
    shown = large.assign(
        step_pct=steps,
        alone_pct=percent(large["n_certain"], large["n_members"], steps),
        step_of_all_pct=step_of_all,
        alone_of_all_pct=percent(certain_of_all, n_records, step_of_all),
    )
    return shown[TABLES["alone"].names]


def _large(groups: pd.DataFrame) -> pd.DataFrame:
    """Return the groups of one grouping that are published.

    Of those that could be left out beside small ones it is the smallest by its members
    to the nearest hundred, of equals the first.
    """
    large = groups[groups["n_members"] >= FEWEST_RECORDS]
    n_left_out = groups["n_members"].sum() - large["n_members"].sum()
    if len(large) and 0 < n_left_out < FEWEST_RECORDS:
        return large.drop(rounded_records(large["n_members"]).idxmin())
    return large


def _public(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for name, analysis in _with_all_qids(study):
        path = study_dir / measured("risk_groups", name)
        risks = read_table(path, TABLES["risk_groups"])
        yield f"alone/{name}", published_alone(risks, analysis, study.step)


def _public_needs(study: Study) -> Iterator[str]:
    for name, _ in _with_all_qids(study):
        yield measured("risk_groups", name)


def _with_all_qids(study: Study) -> Iterator[tuple[str, RiskGroups]]:
    """Yield the analyses that have the set of all QIDs among their subsets."""
    for name, analysis in study.analyses["risk_groups"].items():
        if (1 << len(analysis.qids)) - 1 in analysis.subsets:
            yield name, analysis


def _singles(study: Study) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the QIDs of each release."""
    for _, analysis in _with_all_qids(study):
        yield analysis.table, str(analysis.focal), analysis.qids


def _sizes(study: Study, study_dir: Path) -> Iterator[GroupSize]:
    """Yield how many members each group has, and how many records there are.

    Raises
    ------
    StudyError
        If two analyses give different groups of a release the same name.
    """
    known: dict[tuple[str, str, str], tuple[str, Grouping]] = {}
    for name, analysis in _with_all_qids(study):
        path = study_dir / measured("risk_groups", name)
        rows = read_table(path, TABLES["risk_groups"])
        release = analysis.table, str(analysis.focal)
        for given in analysis.by:
            if isinstance(given, Grouping):
                own = name, given
                other, before = known.setdefault((*release, given.called), own)
                if before != given:
                    raise StudyError(
                        f"The analyses {other!r} and {name!r} have different groups "
                        f"called {given.called}, so that a reader of the report would "
                        "take one for the other. Give one of them a name under by."
                    )
        yield *release, "", "", int(rows["n_records"].iloc[0])
        groups = rows.drop_duplicates(["by", "value", "is_missing"])
        columns = (groups[name] for name in ("by", "kind", "value", "n_members"))
        for by, kind, value, n_members in zip(*columns, strict=True):
            yield *release, grouping_name(by, kind), value or "", int(n_members)


PUBLICATION = Publication(
    ("risk_groups",),
    public=_public,
    public_needs=_public_needs,
    laws=laws,
    singles=_singles,
    sizes=_sizes,
    sizes_needs=_public_needs,
)
