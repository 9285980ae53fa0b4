"""Words for one noisy count: which values are counted, and with how much noise."""

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from microleak.figures.mechanism_rows import Noisy
from microleak.figures.mechanism_text import epsilon_equals, epsilon_text
from microleak.report.texts import Voice

_MISSING = "(missing)"
_MOST_VALUES = 3
_NONE = 1.000005
"""Below it a privacy loss is 1 to the five decimals that are shown."""


def predicate_text(predicate: str, voice: Voice) -> str:
    r"""Write which values are counted, from how result tables write it.

    Examples
    --------
    >>> from microleak.report.texts import voice
    >>> predicate_text("between 1937|2000", voice("en", False))
    'from “1937” to “2000”'
    >>> predicate_text(r"in a\|b|(missing)", voice("en", False))
    'one of “a|b”, (missing)'
    """
    kind, _, said = predicate.partition(" ")
    values = [_value(value, voice) for value in _split(said)]
    if kind == "between":
        return voice.say("mechanism.between", low=values[0], high=values[1])
    if kind == "in" and len(values) > _MOST_VALUES:
        return voice.say("mechanism.in_many", n_values=voice.numbers.count(len(values)))
    return voice.say(f"mechanism.{kind}", values=", ".join(values))


def _split(said: str) -> Iterator[str]:
    r"""Yield values that `|` separates; one in a value has `\` before it."""
    value = ""
    for token in re.findall(r"\\.|[^\\]", said, flags=re.DOTALL):
        if token == "|":
            yield value
            value = ""
        else:
            value += token
    yield value


def _value(written: str, voice: Voice) -> str:
    if written == _MISSING:
        return voice.say("mechanism.missing")
    value = re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)
    return f"“{value}”"


def epsilon_of(row: pd.Series, voice: Voice) -> str:
    """Write which epsilon is a row's name."""
    return epsilon_equals(str(row.name), voice.numbers)


def epsilons(names: Sequence[str], voice: Voice) -> str:
    """Write some epsilons as a list."""
    return ", ".join(epsilon_text(name, voice.numbers) for name in names)


def is_none(loss: float) -> bool:
    """Say whether a privacy loss, not a suppressed one, is shown as 1."""
    return bool(loss < _NONE)


def chances(row: pd.Series, voice: Voice) -> tuple[str, str]:
    """Write the chances to guess without and with a count."""
    share = voice.numbers.share
    return share(row["prior"], True), share(row["posterior"], True)


def names_of(noisy: Noisy, voice: Voice) -> dict[str, str]:
    """Name the two attributes of a count, for the placeholders of a phrase."""
    return {
        name: voice.attribute(noisy.first[name]) for name in ("sensitive", "useful")
    }


def model_name(model: str, voice: Voice) -> str:
    """Name a mechanism, and where it adds its noise."""
    return voice.say(f"figure.mechanism_{model}")
