"""Special uniques, on frames."""

from typing import Any

from microleak.attacks.special_uniques.measure import special_unique_tables
from microleak.attacks.special_uniques.section import SpecialUniques
from microleak.frames import Call, Tables, on_frames


@on_frames(
    SpecialUniques, "Special", shown=("size", "n_minimal", "n_special", "n_smallest")
)
def special_uniques(call: Call, frame: Any, *, n_threads: int | None = None) -> Tables:
    """Find all minimal sample uniques of every record, and score them (SUDA).

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = special_uniques(people, ["a", "b", "c"])
    >>> found.suda_attributes[["qid", "n_minimal", "contribution_elliot"]]
      qid  n_minimal  contribution_elliot
    0   a          3                0.500
    1   b          2                0.375
    2   c          2                0.375
    """
    people, analysis = call.given(frame)
    return special_unique_tables(people.table, analysis, call.resources)
