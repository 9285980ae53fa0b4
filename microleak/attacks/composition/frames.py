"""Several noisy counts with one budget, on frames."""

from collections.abc import Sequence
from typing import Any

from microleak.attacks.composition.measure import composition_table
from microleak.attacks.composition.section import Composition
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames


@on_frames(
    Composition,
    "Composed",
    shown=("epsilon", "n_counts", "prior", "posterior", "posterior_bound"),
)
def composition(
    call: Call, frame: Any, *, counts: Sequence[tuple[str, Sequence[object]]]
) -> Tables:
    """Measure what several noisy counts with one budget leak together.

    Parameters
    ----------
    counts
        Of each count a column and its values that are counted; None is a missing one.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 25, 60, 60], "ill": ["n", "n", "y", "y"]})
    >>> asked = [("ill", ["y"]), ("age", [60])]
    >>> found = composition(people, "ill", asked, ["ln 9"]).composition
    >>> found[["n_counts", "posterior", "posterior_bound"]]
       n_counts  posterior  posterior_bound
    0         1       0.90              0.9
    1         2       0.75              0.9
    """
    pairs = counts if isinstance(counts, Sequence) else [()]
    if not all(isinstance(each, Sequence) and len(each) == 2 for each in pairs):
        raise StudyError(
            'composition: counts are pairs of a column and values, as [("age", [25])].'
        )
    names = (*call.columns("sensitive"), *(name for name, _ in counts))
    people = call.people(frame, names)
    asked = [
        {"attribute": name, "values": people.texts("composition", name, values)}
        for name, values in counts
    ]
    analysis = call.analysis(counts=asked)
    table = composition_table(people.table, analysis, call.resources)
    return {"composition": table}
