"""Risks before a protection, and what is left for who knows how it was made."""

from collections.abc import Iterator

from microleak.report.risks import (
    NumberCell,
    Risk,
    Risks,
    RiskTables,
    StudySettings,
    attack_of,
    numbered,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_TABLE = "known_protection"


def risks(measured: RiskTables, _: StudySettings, voice: Voice) -> Iterator[Risk]:
    """Yield the risks to the release before, with the most QIDs, as `Risks` has it."""
    shown = tables.with_most_qids(numbered(measured[_TABLE]))
    for _, row in shown.iterrows():
        of, place = attack_of(row, row["release"]), int(row["row"])
        prior = NumberCell(_TABLE, place, "prior_prob")
        for event, ending in (("certain", "det"), ("guess", "prob")):
            yield Risk(
                **of,
                words=voice.say(f"ripd_known_protection.{of['kind']}_{event}", row),
                event=event,
                chance=NumberCell(_TABLE, place, f"posterior_{ending}_before"),
                baseline=prior if event == "guess" else None,
                measure=voice.say("ripd_known_protection.measure", row),
                residual=NumberCell(_TABLE, place, f"posterior_{ending}"),
            )


RISKS = Risks((_TABLE,), risks)
