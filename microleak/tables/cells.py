"""Combinations of values of attributes, as one text."""

import json
from collections.abc import Mapping
from typing import Final

_SPECIAL: Final = ("|", "=", '"', " - ")


def cell_text(values: Mapping[str, str | None]) -> str:
    r"""Return values of attributes as a text that no other values have.

    A missing value is nothing; one that is empty, or has signs that part names and
    values, is quoted as in JSON.

    >>> print(cell_text({"age": None, "race": "", "sex": "F|M"}))
    age=|race=""|sex="F|M"
    """
    return "|".join(
        f"{_quoted_cell(name)}={'' if value is None else _quoted_cell(value)}"
        for name, value in values.items()
    )


def _quoted_cell(text: str) -> str:
    if text and not any(sign in text for sign in _SPECIAL):
        return text
    return json.dumps(text, ensure_ascii=False)
