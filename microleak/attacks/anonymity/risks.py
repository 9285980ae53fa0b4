"""The risk of being found by looking up the population."""

from collections.abc import Iterator

import pandas as pd

from microleak.report import risks as kit
from microleak.report.texts import Voice


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risk by the worst combination, of equals the smallest one."""
    rows = kit.numbered(measured["anonymity"]).sort_values("n_qids", kind="stable")
    known = rows["marketer_risk"].astype(float)
    chance = known.fillna(rows["marketer_risk_most"].astype(float))
    if chance.isna().all():
        return
    row = rows.loc[chance.idxmax()]
    is_known = pd.notna(row["marketer_risk"])
    ends = ("",) if is_known else ("_most", "_least")

    def cell(column: str) -> kit.NumberCell:
        return kit.NumberCell("anonymity", int(row["row"]), column)

    yield kit.Risk(
        words=voice.say(f"ripd_anonymity.{'known' if is_known else 'bounded'}", row),
        **kit.attack_of(row, row["focal"]),
        chance=cell(f"marketer_risk{ends[0]}"),
        cells=tuple(cell(f"n_unique_both{end}") for end in ends),
    )


RISKS = kit.Risks(("anonymity",), risks)
