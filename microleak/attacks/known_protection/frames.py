"""Attacks on a protected frame by someone who knows how it was protected."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.known_protection.measure import known_tables
from microleak.attacks.known_protection.section import KnownProtection
from microleak.frames import Call, Tables, on_frames
from microleak.protection.frames import recipe_given
from microleak.records.call import TABLE


@on_frames(
    KnownProtection,
    "Known",
    left_out=("release",),
    shown=(
        *("qids", "sensitive", "posterior_prob_before", "posterior_prob"),
        *("posterior_det", "claims_that_hold"),
    ),
)
def known_protection(
    call: Call,
    frame: Any,
    protected: Any,
    steps: Sequence[Mapping[str, Any]],
    *,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
) -> Tables:
    """Attack a protected frame, knowing how it was protected but not what was drawn.

    Parameters
    ----------
    frame
        Records before, one a person, as `microleak.assess` takes it.
    protected
        Records after, as `microleak.protect` returns them.
    steps, hierarchies
        What was done, as `microleak.protect` takes it.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> steps = [{"generalise": {"age": 1}}]
    >>> levels = {"age": {"widths": [10]}}
    >>> coarse = pd.DataFrame({"age": ["20-29", "20-29", "40-49", "60-69"]})
    >>> found = known_protection(people, coarse, steps, ["age"], hierarchies=levels)
    >>> found.known_protection[["posterior_prob_before", "posterior_prob"]]
       posterior_prob_before  posterior_prob
    0                    1.0            0.75
    """
    recipe = recipe_given(call.function, steps, hierarchies or {})
    analysis = call.analysis(
        release=TABLE, steps=recipe.steps, hierarchies=recipe.hierarchies
    )
    before = call.people(frame, analysis.before)
    after = call.people(protected, analysis.after, "the protected frame")
    return known_tables(before.table, after.table, analysis, call.resources)
