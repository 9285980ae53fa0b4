"""Risks before a protection, and what is left for who knows how it was made."""

from collections.abc import Iterator

from microleak.report import risks as kit
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_TABLE = "known_protection"


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risks to the release before, with the most QIDs, as `Risks` has it."""
    shown = tables.with_most_qids(kit.numbered(measured[_TABLE]))
    for _, row in shown.iterrows():
        of, place = kit.attack_of(row, row["release"]), int(row["row"])
        yield kit.Risk(
            **of,
            words=voice.say(f"ripd_known_protection.{of['kind']}", row),
            chance=kit.NumberCell(_TABLE, place, "posterior_det_before"),
            guess=kit.NumberCell(_TABLE, place, "posterior_prob_before"),
            baseline=kit.NumberCell(_TABLE, place, "prior_prob"),
            measure=voice.say("ripd_known_protection.measure", row),
            residual=kit.NumberCell(_TABLE, place, "posterior_det"),
        )


RISKS = kit.Risks((_TABLE,), risks)
