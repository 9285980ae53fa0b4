"""What every command has beside its own options: a language, and completion."""

import argparse
import os
from collections.abc import Iterator, Sequence
from gettext import gettext
from importlib import import_module
from pathlib import Path
from typing import Any

from microleak.base.language import LANGUAGES, VARIABLE

LANG = f"language of what is said, en or pt; or by {VARIABLE}, or as the system's"
COMPLETION = "print the script that lets a shell complete commands and options"
SHELLS = ("bash", "zsh", "tcsh")


def language_asked(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the language that words or the environment ask for, and other words."""
    usage = "microleak [--lang {en,pt}] COMMAND …"
    parser = argparse.ArgumentParser(
        "microleak", usage, add_help=False, allow_abbrev=False
    )
    add_language(parser)
    options, others = parser.parse_known_args(words)
    asked = getattr(options, "lang", None) or os.environ.get(VARIABLE) or _of_system()
    if asked and asked not in LANGUAGES:
        parser.error(f"{VARIABLE} is {asked!r}; it may be {' or '.join(LANGUAGES)}.")
    return asked, others


def _of_system() -> str:
    told = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "pt" if next(filter(None, told), "").startswith("pt") else ""


def add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=LANG
    )


def with_common_arguments(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    for each in (parser, *commands_of(parser).values()):
        add_language(each)
    parser.add_argument(
        "--print-completion", action=_PrintCompletion, choices=SHELLS, help=COMPLETION
    )
    for each, name in texts_of_parser(parser):
        setattr(each, name, gettext(getattr(each, name)))
    return parser


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return {
        name: command
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    }


def texts_of_parser(parser: argparse.ArgumentParser) -> Iterator[tuple[Any, str]]:
    """Yield where each text of a parser and its commands is: an object and a name."""
    for each in (parser, *commands_of(parser).values()):
        places: list[tuple[Any, str]] = [(each, "description"), (each, "epilog")]
        for action in each._actions:
            if not isinstance(action, argparse._HelpAction):
                places += [(action, "help"), (action, "metavar")]
            if isinstance(action, argparse._SubParsersAction):
                places += [(choice, "help") for choice in action._choices_actions]
        for place, name in places:
            if isinstance(getattr(place, name), str):
                yield place, name


class _PrintCompletion(argparse.Action):
    """Prints a script for a shell, in which files are completed where one is taken."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: Any, *__: object
    ) -> None:
        try:
            shtab = import_module("shtab")
        except ModuleNotFoundError as error:
            said = import_module("microleak.run.job").unexpected(error)
            parser.exit(1, f"microleak: {said}\n")
        for each in (parser, *commands_of(parser).values()):
            for action in each._actions:
                if action.type is Path:
                    vars(action)["complete"] = shtab.FILE
        print(shtab.complete(parser, shell))
        parser.exit()
