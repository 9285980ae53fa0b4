"""The risk to be recognised as one of a sample."""

from collections.abc import Iterator

from microleak.report import risks as kit
from microleak.report.texts import Voice


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risk by the worst combination, of equals the smallest one."""
    rows = kit.numbered(measured["membership"]).sort_values("n_qids", kind="stable")
    row = rows.iloc[int(rows["posterior_person"].argmax())]
    yield kit.Risk(
        words=voice.say("ripd_membership.presence", row),
        kind="presence",
        table=row["sample"],
        releases=(row["sample_release"], row["population_release"]),
        qids=tuple(row["qids"].split("|")),
        sensitive="",
        chance=kit.NumberCell("membership", int(row["row"]), "posterior_person"),
        baseline=kit.NumberCell("membership", int(row["row"]), "prior"),
    )


RISKS = kit.Risks(("membership",), risks)
