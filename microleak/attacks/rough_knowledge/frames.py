"""What is known only roughly, on frames."""

from typing import Any

from microleak.attacks.rough_knowledge.measure import rough_table
from microleak.attacks.rough_knowledge.section import RoughKnowledge
from microleak.frames import Call, Tables, on_frames


@on_frames(
    RoughKnowledge,
    "Rough",
    shown=(
        *("qids", "sensitive", "posterior_prob_exact", "posterior_prob"),
        *("posterior_det", "claims_that_hold"),
    ),
)
def rough_knowledge(call: Call, frame: Any) -> Tables:
    """Attack by what is known only roughly, by Bayes.

    Parameters
    ----------
    roughly
        How QIDs are known that are not known exactly: `{"within": 1}` for a whole
        number up to 1 less or more; `{"confusion": {value: {known: chance}}}` for what
        values are taken for; and `{"unknown": "0.1"}`, beside these or alone, for the
        chance that it is not known at all.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> found = rough_knowledge(people, ["age"], {"age": {"within": 1}})
    >>> found.rough_knowledge[["posterior_det", "posterior_prob", "claims_that_hold"]]
       posterior_det  posterior_prob  claims_that_hold
    0       0.666667        0.833333          0.666667
    """
    people, analysis = call.given(frame)
    return {"rough_knowledge": rough_table(people.table, analysis, call.resources)}
