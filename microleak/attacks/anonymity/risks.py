"""The risk of being found by looking up the population."""

from collections.abc import Iterator

from microleak.report import risks as kit
from microleak.report.texts import Voice


def risks(
    measured: kit.RiskTables, settings: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risk by the worst combination, of equals the smallest one."""
    # Where it is known for some, bounds of others are not told.
    rows = kit.numbered(measured["anonymity"]).sort_values("n_qids", kind="stable")
    is_known = rows["marketer_risk"].notna().any()
    ends = ("",) if is_known else ("_most", "_least")
    chance = rows[f"marketer_risk{ends[0]}"].astype(float)
    if chance.isna().all():
        return
    row = rows.loc[chance.idxmax()]
    analyses = settings.get("analyses", {}).get("anonymity", ())
    populations = [
        each["population"]["release"]
        for each in analyses
        if each["name"] == row["analysis"] and each.get("population")
    ]

    def cell(column: str) -> kit.NumberCell:
        return kit.NumberCell("anonymity", int(row["row"]), column)

    yield kit.Risk(
        words=voice.say(f"ripd_anonymity.{'known' if is_known else 'bounded'}", row),
        **kit.attack_of(row, row["focal"], *map(str, populations)),
        is_further=True,
        chance=cell(f"marketer_risk{ends[0]}"),
        cells=tuple(cell(f"n_unique_both{end}") for end in ends),
    )


RISKS = kit.Risks(("anonymity",), risks)
