"""What each number of anonymity counts, and what other tools count by its name."""

from collections.abc import Callable

import pandas as pd

from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    Measured,
    measured,
)
from microleak.report.anonymity_cells import bound, count, number, share
from microleak.report.parts import Grid
from microleak.report.texts import Voice

Write = Callable[[pd.Series, str, Voice], str]

_WRITTEN: dict[str, tuple[str, Write]] = {
    "k_anonymity": (K_ANONYMITY, count),
    "n_below_5": (K_ANONYMITY, count),
    "n_unsafe_combinations_5": (K_ANONYMITY, count),
    "n_sample_unique": (K_ANONYMITY, count),
    "k_anonymity_entities": (K_ENTITIES, count),
    "l_distinct": (L_DIVERSITY, number),
    "l_entropy": (L_DIVERSITY, number),
    "recursive_c_2": (L_DIVERSITY, bound),
    "t_equal": (L_DIVERSITY, number),
    "t_ordered": (L_DIVERSITY, number),
    "k_map": (K_MAP, count),
    "k_map_estimated": (K_ANONYMITY, number),
    "delta_presence_estimated": (K_ANONYMITY, share),
    "delta_presence_max": (K_MAP, share),
    "delta_presence_min": (K_MAP, share),
}
"""Of each column, by which model a subset is the worst, and how it is written."""


def meanings_grid(found: Measured, voice: Voice) -> Grid:
    """Return each number with its definition, source, and namesakes in other tools.

    Values are those of the worst subset of the largest size. A number that does not
    apply is left out.
    """
    columns = ("measure", "value", "meaning", "tools")
    largest = voice.attributes(int(found.blocks["n_qids"].max()))
    rows = [
        (
            voice.texts["meanings"][name]["name"],
            value,
            voice.texts["meanings"][name]["text"],
            voice.texts["meanings"][name]["tools"],
        )
        for name in _WRITTEN
        if (value := _value(found, name, voice))
    ]
    return Grid(
        caption=voice.say("anonymity.meanings_caption", attributes=largest),
        headings=tuple(voice.say(f"anonymity.column_{name}") for name in columns),
        rows=tuple(rows),
        n_texts=len(columns),
    )


def _value(found: Measured, name: str, voice: Voice) -> str:
    """Write a number, of each sensitive attribute if it is of them; empty if none."""
    model, write = _WRITTEN[name]
    if model != L_DIVERSITY:
        worst = found.worst(model)
        is_there = len(measured(worst, name)) > 0
        return write(worst.iloc[-1], name, voice) if is_there else ""
    several = []
    for sensitive in found.sensitive:
        worst = found.worst(model, sensitive)
        if len(measured(worst, name)) or name == "recursive_c_2":
            written = write(worst.iloc[-1], name, voice)
            several.append((voice.attribute(sensitive), written))
    if len(several) == 1:
        return several[0][1]
    return "; ".join(f"{attribute}: {value}" for attribute, value in several)
