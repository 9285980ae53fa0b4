"""What is known only roughly, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.rough_knowledge.analysis import (
    Confusion,
    RoughKnowledge,
)
from microleak.attacks.rough_knowledge.measure import TABLES, rough_table
from microleak.attacks.rough_knowledge.section import check_rough
from microleak.base.errors import StudyError
from microleak.records.call import (
    TABLE,
    People,
    check_names,
    check_subsets,
    people_of,
    room,
)
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Rough(Result):
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
        from microleak.attacks.rough_knowledge.report import success_bars
        from microleak.report.texts import voice

        spec = TABLES["rough_knowledge"]
        rows = with_study(
            self.tables["rough_knowledge"], spec, analysis="rough_knowledge"
        )
        return success_bars(rows, voice(LANGUAGE).words(is_synthetic=False))

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
) -> Rough:
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
    _check_shape(roughly)
    with room("rough_knowledge") as resources:
        names = [*qids, *sensitive]
        people = people_of("rough_knowledge", frame, names, "the frame")
        plain = {
            name: {key: rough[key] for key in rough if key != "confusion"}
            for name, rough in roughly.items()
        }
        arguments = {
            "name": "rough_knowledge",
            "table": TABLE,
            "focal": TABLE,
            "qids": qids,
            "sensitive": sensitive,
            "subsets": subsets,
            "roughly": plain,
        }
        analysis = analysis_of(RoughKnowledge, "rough_knowledge", arguments)
        check_rough(analysis, "rough_knowledge")
        known = {
            name: rough.model_copy(
                update={"matrix": _confusion(roughly[name]["confusion"], people, name)}
            )
            if "confusion" in roughly[name]
            else rough
            for name, rough in analysis.roughly.items()
        }
        analysis = analysis.model_copy(update={"roughly": known})
        table = rough_table(people.table, analysis, resources)
    return Rough(without_study(table, TABLES["rough_knowledge"]))


def _check_shape(roughly: Any) -> None:
    """Refuse what says of no QID how it is known."""
    ways: list[Any] = [*roughly.values()] if isinstance(roughly, Mapping) else [None]
    for rough in ways:
        chances = rough.get("confusion", {}) if isinstance(rough, Mapping) else None
        parts: list[Any] = [None]
        if isinstance(chances, Mapping):
            parts = [*chances.values()]
        if not all(isinstance(part, Mapping) for part in parts):
            raise StudyError(
                "rough_knowledge: roughly is a mapping of QIDs to mappings, as "
                '{"age": {"within": 1}} or {"race": {"confusion": {"a": {"a": "9/10", '
                '"b": "1/10"}}}}.'
            )
        if "confusion" in rough and "within" in rough:
            raise StudyError(
                "rough_knowledge: a QID has both within and confusion. Give one of "
                "them."
            )


def _confusion(
    given: Mapping[Any, Mapping[Any, Any]], people: People, name: str
) -> Confusion:
    def text(value: Any) -> str:
        """Return the text of a value, the empty one of a missing value."""
        return people.text("rough_knowledge", name, value) or ""

    known = dict.fromkeys(value for chances in given.values() for value in chances)
    try:
        exact = [
            [Fraction(str(chances.get(value, 0))) for value in known]
            for chances in given.values()
        ]
    except (ValueError, ZeroDivisionError):
        exact = [[Fraction(0)]]
    if any(sum(chances) != 1 or min(chances) < 0 for chances in exact):
        raise StudyError(
            f"rough_knowledge: the chances of a value of {name} are no numbers from 0 "
            "on that add up to 1. Give them as texts of fractions, as '1/3'."
        )
    rows = (tuple(map(str, chances)) for chances in exact)
    columns, names = tuple(map(text, known)), tuple(map(text, given))
    if len({*columns}) < len(columns) or len({*names}) < len(names):
        raise StudyError(
            f"rough_knowledge: two values in the confusion of {name} have the same "
            "text. Give one of them."
        )
    return Confusion(columns, dict(zip(names, rows, strict=True)))
