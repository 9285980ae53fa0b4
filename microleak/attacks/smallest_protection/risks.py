"""Risks of a release as it is, and what is left after the smallest protection."""

from collections.abc import Iterator

import pandas as pd

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
            yield from _risks(as_it_is, answer, voice)


def _risks(as_it_is: pd.Series, answer: pd.Series, voice: Voice) -> Iterator[kit.Risk]:
    """Yield what an adversary is certain of, and what its best guess finds."""
    of = kit.attack_of(as_it_is, as_it_is["focal"])
    done = "measure" if answer["n_changed"] else "none_needed"
    measure = voice.say(
        f"ripd_smallest_protection.{done}",
        target=target_text(answer, voice),
        change=change_text(answer, voice),
    )
    for event, columns in (
        ("certain", ("n_certain", "n_records")),
        ("guess", ("posterior_prob",)),
    ):
        key = f"ripd_smallest_protection.{of['kind']}_{event}"
        yield kit.Risk(
            **of,
            words=voice.say(key, as_it_is),
            event=event,
            chance=kit.NumberCell(_TABLE, int(as_it_is["row"]), *columns),
            measure=measure,
            residual=kit.NumberCell(_TABLE, int(answer["row"]), *columns),
        )


RISKS = kit.Risks((_TABLE,), risks)
