"""Risks of a release as it is, and what is left after the smallest protection."""

from collections.abc import Iterator

from microleak.attacks.smallest_protection.shown import change_text, target_text
from microleak.report import risks as kit
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_TABLE = "smallest_protection"


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risks to the release as it is, with the residual, as `Risks` has it."""
    nodes = kit.numbered(measured[_TABLE])
    for rows in tables.by_subject(nodes).values():
        as_it_is = rows[rows["n_changed"] == 0].iloc[0]
        for _, answer in rows[rows["is_answer"] == "true"].iterrows():
            of = kit.attack_of(as_it_is, as_it_is["focal"])
            place, left = int(as_it_is["row"]), int(answer["row"])
            residual = kit.NumberCell(_TABLE, left, "n_certain", "n_records")
            yield kit.Risk(
                **of,
                words=voice.say(f"ripd_smallest_protection.{of['kind']}", as_it_is),
                chance=kit.NumberCell(_TABLE, place, "n_certain", "n_records"),
                guess=kit.NumberCell(_TABLE, place, "posterior_prob"),
                measure=voice.say(
                    "ripd_smallest_protection.measure",
                    target=target_text(answer, voice),
                    change=change_text(answer, voice),
                ),
                residual=residual if answer["n_changed"] else None,
            )


RISKS = kit.Risks((_TABLE,), risks)
