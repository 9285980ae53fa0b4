"""What is known only roughly, on frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.rough_knowledge.measure import TABLES, rough_table
from microleak.attacks.rough_knowledge.section import RoughKnowledge
from microleak.frames import Call, Found, Tables, on_frames
from microleak.study_file.call import roughly_of


@dataclass(frozen=True, repr=False, eq=False)
class Rough(Found):
    """What `rough_knowledge` found: success, a row an attack and set of QIDs."""

    rough_knowledge: pd.DataFrame

    specs: ClassVar = TABLES
    shown: ClassVar = (
        *("qids", "sensitive", "posterior_prob_exact", "posterior_prob"),
        *("posterior_det", "claims_that_hold"),
    )


@on_frames(RoughKnowledge, Rough)
def rough_knowledge(
    call: Call, frame: Any, *, roughly: Mapping[str, Mapping[str, Any]]
) -> Tables:
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
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> found = rough_knowledge(people, ["age"], {"age": {"within": 1}})
    >>> found.rough_knowledge[["posterior_det", "posterior_prob", "claims_that_hold"]]
       posterior_det  posterior_prob  claims_that_hold
    0       0.666667        0.833333          0.666667
    """
    people = call.people(frame, call.columns("qids", "sensitive"))
    known = roughly_of(call.function, roughly, call.columns("qids"), "qids", people)
    analysis = call.analysis(roughly=known)
    table = rough_table(people.table, analysis, call.resources)
    return {"rough_knowledge": table}
