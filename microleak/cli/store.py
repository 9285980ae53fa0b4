"""The option `--store`, and the command that looks at a store and tidies it up."""

import argparse
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from microleak.base.errors import StudyError, count_of

VARIABLE = "MICROLEAK_STORE"
NONE = "none"
_DEFAULT = "results/.store"
_HELP = (
    "folder of intermediates that studies share, or none (default: that which "
    f"{VARIABLE} names, else {_DEFAULT})"
)


def add_store_option(sub: argparse.ArgumentParser) -> None:
    default = os.environ.get(VARIABLE) or _DEFAULT
    sub.add_argument("--store", metavar="FOLDER", default=default, help=_HELP)


def store_of(options: argparse.Namespace) -> Any:
    if options.store == NONE:
        return None
    if not options.store:
        raise StudyError("--store is empty. Name a folder, or none.")
    return import_module("microleak.run.store").Store(Path(options.store))


def add_store(sub: argparse.ArgumentParser) -> None:
    actions = {"list": "say what is in it", "gc": "remove what no study uses"}
    told = "; ".join(f"{name}: {text}" for name, text in actions.items())
    sub.add_argument("action", choices=[*actions], help=told)
    add_store_option(sub)
    sub.set_defaults(command=_store_command)


def _store_command(options: argparse.Namespace, words: list[str]) -> int:
    store = store_of(options)
    if store is None:
        raise StudyError(f"There is no store {options.store}. Correct --store.")
    store.check()
    if options.action == "list":
        for line in store.lines():
            print(line)
        return 0
    n_removed, n_bytes = store.remove_unused()
    print(f"Removed what {count_of(n_removed, 'step')} had made: {n_bytes:,} bytes.")
    return 0
