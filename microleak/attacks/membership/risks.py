"""The risk to be recognised as one of a sample."""

from collections.abc import Iterator
from functools import partial

from microleak.report.risks import (
    NumberCell,
    Risk,
    Risks,
    RiskTables,
    StudySettings,
    numbered,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def risks(measured: RiskTables, _: StudySettings, voice: Voice) -> Iterator[Risk]:
    """Yield the risk by the worst combination, of equals the smallest one."""
    rows = numbered(measured["membership"]).sort_values("n_qids", kind="stable")
    row = rows.iloc[int(rows["posterior_person"].argmax())]
    place = partial(NumberCell, "membership", int(row["row"]))
    yield Risk(
        voice.say(
            "ripd_membership.presence",
            population=f"{row['population']} {row['population_release']}",
            sample=f"{row['sample']} {row['sample_release']}",
            known=voice.known(tables.qids_of(row)),
        ),
        "presence",
        "",
        chance=place("posterior_person"),
        baseline=place("prior"),
    )


RISKS = Risks(("membership",), risks)
