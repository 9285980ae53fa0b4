"""The language in which commands speak: English, or Portuguese by the catalogue here.

Texts are marked as gettext has it, `_("…")`, and translated in
`locale/pt_BR/LC_MESSAGES/microleak.po`; `make docs` compiles it. Messages of errors
that users meet most often are; others are in English alone.
"""

import gettext
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microleak.base.errors import ordinal

LOCALES = Path(__file__).with_name("locale")
DOMAIN = "microleak"
# The environment's word for the language, which whatever a command starts has too
VARIABLE = "MICROLEAK_LANG"
_OF_GETTEXT = {"en": "en", "pt": "pt_BR"}
LANGUAGES = tuple(_OF_GETTEXT)


def spoken_language() -> str:
    """Return the language in which commands speak, `en` or `pt`."""
    asked = os.environ.get(VARIABLE, "")
    return asked if asked in LANGUAGES else "en"


def number_text(number: int) -> str:
    """Write a number with the thousands of the language that is spoken.

    >>> with speaking_language("pt"):
    ...     number_text(1000)
    '1.000'
    """
    return (
        f"{number:,}" if spoken_language() == "en" else f"{number:,}".replace(",", ".")
    )


def nth_place(n: int) -> str:
    """Write a place, from 1 up, in the language that is spoken.

    >>> with speaking_language("pt"):
    ...     nth_place(1)
    '1º'
    """
    return ordinal(n) if spoken_language() == "en" else f"{n}º"


@contextmanager
def speaking_language(asked: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in (VARIABLE, "LANGUAGE")}
    domain = gettext.textdomain()
    os.environ |= {VARIABLE: asked, "LANGUAGE": _OF_GETTEXT[asked]}
    gettext.bindtextdomain(DOMAIN, LOCALES)
    gettext.textdomain(DOMAIN)
    try:
        yield
    finally:
        gettext.textdomain(domain)
        for name, value in before.items():
            os.environ.pop(name)
            os.environ |= {name: value} if value is not None else {}
