"""What is known only roughly, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.rough_knowledge.analysis import RoughKnowledge
from microleak.attacks.rough_knowledge.measure import TABLES, rough_table
from microleak.records.call import (
    TABLE,
    check_names,
    check_subsets,
    people_of,
    room_to_work,
)
from microleak.study_file.call import analysis_of, roughly_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class RoughKnowledgeResult(Result):
    """What `rough_knowledge` found: a table of a study with this name.

    Attributes
    ----------
    rough_knowledge
        Success of the attacks, a row an attack and set of QIDs.
    """

    rough_knowledge: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw success without any QID, known roughly and known exactly."""
        from microleak.attacks.rough_knowledge.report import bars_of
        from microleak.report.texts import voice

        spec = TABLES["rough_knowledge"]
        rows = with_study(
            self.tables["rough_knowledge"], spec, analysis="rough_knowledge"
        )
        return bars_of(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["qids", "sensitive", "posterior_prob_exact", "posterior_prob"]
        return self.rough_knowledge[[*names, "posterior_det", "claims_that_hold"]]


def rough_knowledge(
    frame: Any,
    qids: Sequence[str],
    roughly: Mapping[str, Mapping[str, Any]],
    *,
    sensitive: Sequence[str] = (),
    subsets: Any = "full",
) -> RoughKnowledgeResult:
    """Attack by what is known only roughly, by Bayes.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids
        What the adversary knows.
    roughly
        How QIDs are known that are not known exactly: `{"within": 1}` for a whole
        number up to 1 less or more; `{"confusion": {value: {known: chance}}}` for what
        values are taken for; and `{"unknown": "0.1"}`, beside these or alone, for the
        chance that it is not known at all.
    sensitive
        What is inferred.
    subsets
        As of `microleak.assess`, but that of all QIDs alone if not given.

    Returns
    -------
    Rough
        The table as an attribute.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, chances do not add up to 1, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> found = rough_knowledge(people, ["age"], {"age": {"within": 1}})
    >>> found.rough_knowledge[["posterior_det", "posterior_prob", "claims_that_hold"]]
       posterior_det  posterior_prob  claims_that_hold
    0       0.666667        0.833333          0.666667
    """
    check_names("rough_knowledge", qids=qids, sensitive=sensitive)
    check_subsets("rough_knowledge", subsets)
    with room_to_work("rough_knowledge") as resources:
        names = [*qids, *sensitive]
        people = people_of("rough_knowledge", frame, names, "the frame")
        arguments = {
            "name": "rough_knowledge",
            "table": TABLE,
            "focal": TABLE,
            "qids": qids,
            "sensitive": sensitive,
            "subsets": subsets,
            "roughly": roughly_of("rough_knowledge", roughly, qids, "qids", people),
        }
        analysis = analysis_of(RoughKnowledge, "rough_knowledge", arguments)
        table = rough_table(people.table, analysis, resources)
    return RoughKnowledgeResult(without_study(table, TABLES["rough_knowledge"]))
