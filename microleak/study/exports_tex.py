r"""Text as LaTeX prints it: no part of it is a command.

Works in any encoding of fonts and beside babel, whose languages may make `"` a
command: that is `\symbol{34}` here.
"""

import re

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_\allowbreak{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}\allowbreak{}",
    '"': r"\symbol{34}",
    # After \\ these would be its argument and its star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_LAST_LATIN = "\u017f"
_TYPOGRAPHIC = set("–—‘’“”…€")
"""Printed by every font of the encoding T1, beside Latin letters and their signs."""

_LIGATURE = re.compile("(?<=[-'`,?!])(?=[-'`,])")


def tex(text: str) -> str:
    r"""Return a text as LaTeX prints it, lines of it broken after `_` and `|` only.

    A character that is not printed, as one that turns the direction of writing, or
    not in a Latin font, stands there by its number.

    >>> print(tex("50 % of A_B"), tex("a--b"), tex("\u202e"))
    50 \% of A\_\allowbreak{}B a-{}-b \texttt{U+202E}
    """
    return _LIGATURE.sub("{}", "".join(map(_character, text)))


def _character(character: str) -> str:
    is_latin = character <= _LAST_LATIN or character in _TYPOGRAPHIC
    if is_latin and character.isprintable():
        return _SPECIAL.get(character, character)
    return rf"\texttt{{U+{ord(character):04X}}}"
