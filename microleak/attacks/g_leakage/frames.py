"""What guesses gain, on frames."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import pandas as pd

from microleak.attacks.g_leakage.measure import g_leakage_table
from microleak.attacks.g_leakage.section import (
    OTHERS,
    GainFunction,
    GuessAnalysis,
    check_function,
)
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames


def _worst(_: Any, rows: pd.DataFrame) -> pd.DataFrame:
    from microleak.attacks.g_leakage.report import worst_of

    return worst_of(rows)


@on_frames(
    GuessAnalysis,
    "Gained",
    _rows=_worst,
    shown=("qids", "n_qids", "prior_vulnerability", "posterior_vulnerability"),
)
def g_leakage(
    call: Call,
    frame: Any,
    *,
    gains: Mapping[str, Mapping[object, object]] | None = None,
    n_threads: int | None = None,
) -> Tables:
    """Measure what the best guess of an attribute gains (Nunes, Definitions 6 and 7).

    Parameters
    ----------
    gains
        What each guess gains by each value, by the guess's name: a number, or a text as
        `"1/3"`. A guess gains 0 by values that it does not name, or what it names under
        `"*"`; None is a missing value.

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
    if (gains is None) == (call.keys.get("tries") is None):
        raise StudyError("g_leakage: give exactly one of gains and tries.")
    of_guesses = gains.values() if isinstance(gains, Mapping) else [gains]
    is_shaped = of_guesses and all(isinstance(each, Mapping) for each in of_guesses)
    if gains is not None and not is_shaped:
        raise StudyError(
            "g_leakage: gains are a mapping of guesses to mappings of values to "
            'numbers, as {"ill": {"y": 1, "n": -1}, "nothing": {}}.'
        )
    people = call.people(frame, call.columns("qids", "sensitive"))
    analysis = call.analysis()
    if gains is not None:
        text_of = partial(people.text, "g_leakage", analysis.sensitive)
        function = _function(gains, text_of)
        check_function(function, "g_leakage: gains")
        analysis = analysis.model_copy(update={"function": function})
    return {"g_leakage": g_leakage_table(people.table, analysis, call.resources)}


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
