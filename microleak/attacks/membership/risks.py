"""The risk to be recognised as one of a sample."""

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
    """Yield the risk by the worst combination, of equals the smallest one."""
    rows = numbered(measured["membership"]).sort_values("n_qids", kind="stable")
    row = rows.iloc[int(rows["posterior_person"].argmax())]
    yield Risk(
        words=voice.say("ripd_membership.presence", row),
        kind="presence",
        event=f"present of {row['population']}",
        table=row["sample"],
        releases=(row["sample_release"], row["population_release"]),
        qids=tuple(row["qids"].split("|")),
        sensitive="",
        chance=NumberCell("membership", int(row["row"]), "posterior_person"),
        baseline=NumberCell("membership", int(row["row"]), "prior"),
    )


RISKS = Risks(("membership",), risks)
