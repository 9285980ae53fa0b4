"""Risks before a protection, and what is left for who knows how it was made."""

from collections.abc import Iterator
from functools import partial

from microleak.report.risks import (
    NumberCell,
    Risk,
    Risks,
    RiskTables,
    StudySettings,
    event_of,
    kind_of,
    numbered,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def risks(measured: RiskTables, _: StudySettings, voice: Voice) -> Iterator[Risk]:
    """Yield the risks to the release before, with the most QIDs, as `Risks` has it."""
    shown = tables.with_most_qids(numbered(measured["known_protection"]))
    for _, row in shown.iterrows():
        place = partial(NumberCell, "known_protection", int(row["row"]))
        for event, ending in (("certain", "det"), ("guess", "prob")):
            kind = kind_of(row["sensitive"])
            yield Risk(
                voice.say(
                    f"ripd_known_protection.{kind}_{event}",
                    table=row["table"],
                    release=row["release"],
                    known=voice.known(tables.qids_of(row)),
                    sensitive=voice.explained(row["sensitive"]),
                ),
                kind,
                row["sensitive"],
                chance=place(f"posterior_{ending}_before"),
                baseline=place("prior_prob") if event == "guess" else None,
                measure=voice.say("ripd_known_protection.measure", focal=row["focal"]),
                residual=place(f"posterior_{ending}"),
                event=event_of(row, row["release"], event),
            )


RISKS = Risks(("known_protection",), risks)
