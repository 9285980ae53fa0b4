"""The risk to be linked with one's record in another release without an identifier."""

from collections.abc import Iterator

from microleak.report.risks import NumberCell, Risk, Risks, RiskTables, StudySettings
from microleak.report.texts import Voice


def risks(measured: RiskTables, _: StudySettings, voice: Voice) -> Iterator[Risk]:
    """Yield the risk of a link that is likelier right than wrong, as `Risks` has it."""
    row = measured["linkage"].iloc[0]
    qids = tuple(filter(None, f"{row['stable']}|{row['drifting']}".split("|")))
    yield Risk(
        words=voice.say("ripd_linkage.linked", row, qids=qids),
        kind="reidentification",
        table=row["table"],
        releases=(row["focal"], row["auxiliary"]),
        qids=qids,
        sensitive="",
        chance=NumberCell("linkage", 1, "n_links", "n_focal"),
    )


RISKS = Risks(("linkage",), risks)
