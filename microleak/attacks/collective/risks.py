"""Risks that collective attacks tell: named adversaries, and the worst one."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from microleak.report.face_value import doubt
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

_EVENTS = {"certain": ("n_certain", "det"), "guess": ("n_modal", "prob")}
"""What may happen: the count by which it is worst, and how its columns end."""


def risks(
    measured: RiskTables, settings: StudySettings, voice: Voice
) -> Iterator[Risk]:
    """Yield what adversaries find who have all linked releases, as `Risks` has it.

    The adversaries that the study file names come first, as far as the analysis has
    what they know; then who knows the worst of all combinations, of equals the
    smallest one. Each finds a record, or a value, with certainty or by the best guess.
    """
    last = list(tables.by_panel(numbered(measured["collective"])).values())[-1]
    for rows in tables.by_subject(last).values():
        for event, (count, _) in _EVENTS.items():
            say = partial(_risk, event, settings=settings, voice=voice)
            for name, given in settings.get("scenarios", {}).items():
                qids = given["qids"] if isinstance(given, dict) else given
                found = rows[rows["qids"].map(partial(_is_of, frozenset(qids)))]
                labels = given.get("label", {}) if isinstance(given, dict) else {}
                for _, row in found.iterrows():
                    yield say(row, labels.get(voice.language, name))
            worst = rows.sort_values("n_qids", kind="stable")
            yield say(worst.iloc[int(worst[count].astype("int64").argmax())], "")


def _is_of(qids: frozenset[str], names: str) -> bool:
    return frozenset(names.split("|")) == qids


def _risk(
    event: str, row: pd.Series, who: str, settings: StudySettings, voice: Voice
) -> Risk:
    kind = kind_of(row["sensitive"])
    _, ending = _EVENTS[event]
    known = voice.known(tables.qids_of(row))
    said = voice.say(
        f"ripd_collective.{kind}_{event}",
        table=row["table"],
        releases=tables.panel_label(row),
        who=voice.say("ripd_collective.named", who=who, known=known)
        if who
        else voice.say("ripd_collective.worst", known=known),
        sensitive=voice.explained(row["sensitive"]),
    )
    place = partial(NumberCell, "collective", int(row["row"]))
    doubted = doubt(row, tables.releases_of(row), settings, voice)
    return Risk(
        f"{said} {doubted}".strip(),
        kind,
        row["sensitive"],
        chance=place(f"posterior_{ending}"),
        baseline=place(f"prior_{ending}"),
        event=event_of(row, tables.panel_label(row), event),
    )


RISKS = Risks(("collective",), risks)
