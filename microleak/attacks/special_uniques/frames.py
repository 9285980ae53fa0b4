"""Special uniques, on frames."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.special_uniques.measure import TABLES, special_unique_tables
from microleak.attacks.special_uniques.section import SpecialUniques
from microleak.frames import Call, Found, Tables, on_frames


@dataclass(frozen=True, repr=False, eq=False)
class Special(Found):
    """What `special_uniques` found: minimal sample uniques, and records' scores."""

    special_uniques: pd.DataFrame
    suda_scores: pd.DataFrame
    suda_attributes: pd.DataFrame
    suda_values: pd.DataFrame

    specs: ClassVar = TABLES
    shown: ClassVar = ("size", "n_minimal", "n_special", "n_smallest")


@on_frames(SpecialUniques, Special)
def special_uniques(call: Call, frame: Any, *, n_threads: int = 1) -> Tables:
    """Find all minimal sample uniques of every record, and score them (SUDA).

    Examples
    --------
    >>> people = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = special_uniques(people, ["a", "b", "c"])
    >>> found.suda_attributes[["qid", "n_minimal", "contribution_elliot"]]
      qid  n_minimal  contribution_elliot
    0   a          3                0.500
    1   b          2                0.375
    2   c          2                0.375
    """
    analysis = call.analysis()
    people = call.people(frame, analysis.qids)
    return special_unique_tables(people.table, analysis, call.resources)
