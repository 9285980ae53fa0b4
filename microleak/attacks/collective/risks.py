"""Risks that collective attacks tell: named adversaries, and the worst one."""

from collections.abc import Iterator

import pandas as pd

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

_EVENTS = {"certain": ("n_certain", "det"), "guess": ("n_modal", "prob")}
"""What may happen: the count by which it is worst, and how its columns end."""


def risks(
    measured: RiskTables, settings: StudySettings, voice: Voice
) -> Iterator[Risk]:
    """Yield what adversaries find who have all linked releases, as `Risks` has it."""
    # Those that the study file names, as far as the analysis has what they know; then
    # who knows the worst of all combinations, of equals the smallest one.
    last = list(tables.by_panel(numbered(measured["collective"])).values())[-1]
    for rows in tables.by_subject(last).values():
        known = rows["qids"].map(lambda names: frozenset(names.split("|")))
        for event, (count, _) in _EVENTS.items():
            for name, given in settings.get("scenarios", {}).items():
                told = given if isinstance(given, dict) else {"qids": given}
                who = told.get("label", {}).get(voice.language, name)
                for _, row in rows[known == frozenset(told["qids"])].iterrows():
                    yield _risk(event, row, who, voice)
            worst = rows.sort_values("n_qids", kind="stable")
            row = worst.iloc[int(worst[count].astype("int64").argmax())]
            yield _risk(event, row, "", voice)


def _risk(event: str, row: pd.Series, who: str, voice: Voice) -> Risk:
    of = attack_of(row, *tables.releases_of(row))
    _, ending = _EVENTS[event]
    place = int(row["row"])
    known = f"ripd_collective.{'named' if who else 'worst'}"
    return Risk(
        **of,
        words=voice.say(
            f"ripd_collective.{of['kind']}_{event}",
            row,
            releases=tables.panel_label(row),
            who=voice.say(known, row, who=who),
        ),
        event=event,
        chance=NumberCell("collective", place, f"posterior_{ending}"),
        baseline=NumberCell("collective", place, f"prior_{ending}"),
    )


RISKS = Risks(("collective",), risks)
