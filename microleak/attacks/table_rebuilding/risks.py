"""The risk that published tables prove a record."""

from collections.abc import Iterator

from microleak.report.risks import (
    NumberCell,
    Risk,
    Risks,
    RiskTables,
    StudySettings,
    numbered,
)
from microleak.report.texts import Voice


def risks(measured: RiskTables, _: StudySettings, voice: Voice) -> Iterator[Risk]:
    """Yield the risk of the region with the highest share proved, as `Risks` has it.

    There is none where it is not known how many records a region has.
    """
    rows = numbered(measured["table_rebuilding"]).dropna(subset="share_proved")
    if rows.empty:
        return
    row = rows.loc[rows["share_proved"].astype(float).idxmax()]
    of = [row["table"], row["focal"], row["region"]]
    chance = row["chance"]
    yield Risk(
        voice.say(
            f"ripd_table_rebuilding.{'proved' if chance == 1 else 'revealed'}",
            analysis=row["analysis"],
            of=" ".join(filter(None, of)) or row["analysis"],
            chance=voice.numbers.share(chance),
        ),
        "reidentification",
        "",
        chance=NumberCell("table_rebuilding", int(row["row"]), "share_proved"),
    )


RISKS = Risks(("table_rebuilding",), risks)
