"""The risk that published tables prove a record."""

import re
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
    """Yield the risk of the region with the highest share proved, as `Risks` has it."""
    # Not where it is unknown how many records a region has.
    rows = numbered(measured["table_rebuilding"]).dropna(subset="share_proved")
    if rows.empty:
        return
    row = rows.loc[rows["share_proved"].astype(float).idxmax()]
    of = " ".join(filter(None, [row["table"], row["focal"], row["region"]]))
    kind = "proved" if row["chance"] == 1 else "revealed"
    crossed = dict.fromkeys(re.split(r", |\|", row["crossings"]))
    yield Risk(
        words=voice.say(f"ripd_table_rebuilding.{kind}", row, of=of or row["analysis"]),
        kind="reidentification",
        table=row["table"],
        releases=(row["focal"],) if row["table"] else (),
        qids=tuple(filter(None, crossed)),
        sensitive="",
        chance=NumberCell("table_rebuilding", int(row["row"]), "share_proved"),
    )


RISKS = Risks(("table_rebuilding",), risks)
