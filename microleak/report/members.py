"""Who has a value of a sensitive attribute, in words."""

from collections.abc import Hashable, Mapping
from typing import Any

from microleak.report.texts import Voice, capital

_MOST_LETTERS = 60


def who_has(row: Mapping[Hashable, Any], voice: Voice) -> str:
    """Write who has a value, as it follows a number; in words if there are any for it.

    `row` has the attribute, the value, and whether it is a missing one.
    """
    name, value = row["sensitive"], row["value"]
    if row["is_missing"] in (True, "true"):
        return voice.say("having.missing", attribute=voice.attribute(name))
    if has_words(row, voice):
        return str(voice.texts["members"][name][value])
    short = value if len(value) <= _MOST_LETTERS else f"{value[: _MOST_LETTERS - 1]}…"
    return voice.say("having.value", attribute=voice.attribute(name), value=short)


def has_words(row: Mapping[Hashable, Any], voice: Voice) -> bool:
    """Whether the texts have words for who has a value."""
    return row["value"] in voice.texts["members"].get(row["sensitive"], {})


def value_label(row: Mapping[Hashable, Any], voice: Voice) -> str:
    """Write who has a value as a row of a table begins, with the code if it is one."""
    words = capital(who_has(row, voice))
    return f"{words} ({row['value']})" if has_words(row, voice) else words
