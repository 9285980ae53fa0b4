"""What guesses gain, on frames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.g_leakage.analysis import OTHERS, GainFunction, GuessAnalysis
from microleak.attacks.g_leakage.measure import TABLES, g_leakage_table
from microleak.attacks.g_leakage.section import check_function
from microleak.base.errors import StudyError
from microleak.records.call import (
    TABLE,
    check_names,
    check_subsets,
    people_of,
    room_to_work,
)
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Gained(Result):
    """What `g_leakage` found: a table of a study with this name (docs/results.md).

    Attributes
    ----------
    g_leakage
        What the best guess gains, a row a set of QIDs.
    """

    g_leakage: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw what the best guess gains over the number of QIDs."""
        from microleak.attacks.g_leakage.report import gain_by_size
        from microleak.report.texts import voice

        spec = TABLES["g_leakage"]
        rows = with_study(self.tables["g_leakage"], spec, analysis="g_leakage")
        return gain_by_size(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        from microleak.attacks.g_leakage.report import worst_of

        names = ["qids", "n_qids", "prior_vulnerability", "posterior_vulnerability"]
        return worst_of(self.g_leakage)[names]


def g_leakage(
    frame: Any,
    qids: Sequence[str],
    sensitive: str,
    *,
    gains: Mapping[str, Mapping[object, object]] | None = None,
    tries: int | None = None,
    subsets: Any = "all",
    n_threads: int = 1,
) -> Gained:
    """Measure what the best guess of an attribute gains (Nunes, Definitions 6 and 7).

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids
        What the adversary may know.
    sensitive
        What is guessed.
    gains
        What each guess gains by each value, by the guess's name: a number, or a text as
        `"1/3"`. A guess gains 0 by values that it does not name, or what it names under
        `"*"`; None is a missing value.
    tries
        How many values may be named, in the place of `gains`.
    subsets, n_threads
        As of `microleak.assess`.

    Returns
    -------
    Gained
        The table as an attribute.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, there are no records, or not exactly one of `gains`
        and `tries` is given.

    Examples
    --------
    A wrong claim costs as much as a right one gains.

    >>> people = pd.DataFrame({"age": [25, 25, 25, 60], "ill": ["n", "n", "y", "y"]})
    >>> claims = {"ill": {"y": 1, "n": -1}, "nothing": {}}
    >>> found = g_leakage(people, ["age"], "ill", gains=claims)
    >>> found.g_leakage[["qids", "prior_vulnerability", "posterior_vulnerability"]]
      qids  prior_vulnerability  posterior_vulnerability
    0  age                  0.0                     0.25
    """
    check_names("g_leakage", qids=qids, sensitive=[sensitive])
    check_subsets("g_leakage", subsets)
    if (gains is None) == (tries is None):
        raise StudyError("g_leakage: give exactly one of gains and tries.")
    of_guesses = gains.values() if isinstance(gains, Mapping) else [gains]
    is_shaped = of_guesses and all(isinstance(each, Mapping) for each in of_guesses)
    if gains is not None and not is_shaped:
        raise StudyError(
            "g_leakage: gains are a mapping of guesses to mappings of values to "
            'numbers, as {"ill": {"y": 1, "n": -1}, "nothing": {}}.'
        )
    with room_to_work("g_leakage", n_threads) as resources:
        people = people_of("g_leakage", frame, [*qids, sensitive], "the frame")
        arguments = {
            "name": "g_leakage",
            "table": TABLE,
            "focal": TABLE,
            "qids": qids,
            "sensitive": sensitive,
            "subsets": subsets,
        }
        arguments |= {} if tries is None else {"tries": tries}
        analysis = analysis_of(GuessAnalysis, "g_leakage", arguments)
        if gains is not None:
            function = _function(gains, partial(people.text, "g_leakage", sensitive))
            check_function(function, "g_leakage: gains")
            analysis = analysis.model_copy(update={"function": function})
        table = g_leakage_table(people.table, analysis, resources)
    return Gained(without_study(table, TABLES["g_leakage"]))


def _function(
    gains: Mapping[str, Mapping[object, object]],
    text_of: Callable[[object], str | None],
) -> GainFunction:
    """Return a gain function whose values are texts, from one by the frame's values."""
    named = dict.fromkeys(value for of_guess in gains.values() for value in of_guess)
    texts = [each if each == OTHERS else text_of(each) or "" for each in named]
    if len(set(texts)) < len(texts):
        raise StudyError(
            "g_leakage: gains have a value twice, as a number and as a text. Give it "
            "once."
        )
    try:
        return GainFunction(
            tuple(texts),
            tuple(
                tuple(
                    str(Fraction(str(of_guess.get(value, of_guess.get(OTHERS, 0)))))
                    for value in named
                )
                for of_guess in gains.values()
            ),
        )
    except (ValueError, ZeroDivisionError):
        raise StudyError(
            "g_leakage: gains are numbers, or texts of fractions as '1/3'. Correct "
            "them."
        ) from None
