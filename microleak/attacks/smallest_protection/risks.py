"""Risks of a release as it is, and what is left after the smallest protection."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from microleak.attacks.smallest_protection.wording import change_text, target_text
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


def risks(
    measured: RiskTables, settings: StudySettings, voice: Voice
) -> Iterator[Risk]:
    """Yield the risks to the release as it is, with the residual, as `Risks` has it."""
    nodes = numbered(measured["smallest_protection"])
    for rows in tables.by_subject(nodes).values():
        as_it_is = rows[rows["n_changed"] == 0].iloc[0]
        for _, answer in rows[rows["is_answer"] == "true"].iterrows():
            yield from _risks(as_it_is, answer, settings, voice)


def _risks(
    as_it_is: pd.Series, answer: pd.Series, settings: StudySettings, voice: Voice
) -> Iterator[Risk]:
    """Yield what an adversary is certain of, and what its best guess finds."""
    sensitive = as_it_is["sensitive"]
    doubted = doubt(as_it_is, [as_it_is["focal"]], settings, voice)
    done = "measure" if answer["n_changed"] else "none_needed"
    place = partial(NumberCell, "smallest_protection")
    for event, columns in (
        ("certain", ("n_certain", "n_records")),
        ("guess", ("posterior_prob",)),
    ):
        kind = kind_of(sensitive)
        said = voice.say(
            f"ripd_smallest_protection.{kind}_{event}",
            table=as_it_is["table"],
            release=as_it_is["focal"],
            known=voice.known(tables.qids_of(as_it_is)),
            sensitive=voice.explained(sensitive),
        )
        yield Risk(
            f"{said} {doubted}".strip(),
            kind,
            sensitive,
            chance=place(int(as_it_is["row"]), *columns),
            measure=voice.say(
                f"ripd_smallest_protection.{done}",
                target=target_text(answer, voice),
                change=change_text(answer, voice),
            ),
            residual=place(int(answer["row"]), *columns),
            event=event_of(as_it_is, as_it_is["focal"], event),
        )


RISKS = Risks(("smallest_protection",), risks)
