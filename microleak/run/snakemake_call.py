"""How Snakemake is called, so that the working folder cannot run code of its own.

A study folder may be somebody else's. Python and Snakemake look for modules and
profiles in the working folder first; here they are kept from it.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT

_CODE_OF_FOLDERS = (".snakemake/pip-deployments", ".numba_config.yaml")
"""What libraries take from the working folder: modules, and where they are cached."""

PROFILES = frozenset({"--profile", "--workflow-profile"})
"""Options of Snakemake that name files of further options."""

OWN_OUTPUT = frozenset({"--verbose", "--printshellcmds", "-p", "--debug-dag"})
"""Options that have Snakemake say more, for someone who wants to read it."""

LOOKING = frozenset(
    {
        *("-n", "--dry-run", "--dryrun", "--dag", "--rulegraph", "--filegraph"),
        *("--d3dag", "--summary", "-S", "-D", "--detailed-summary", "-l", "--list"),
        *("--list-rules", "--lint", "-v", "--version", "-h", "--help"),
    }
)
"""Options that have Snakemake say what it would do, and do nothing."""

_SHORT = re.compile("-([aDfFhklnpStv]*[a-zA-Z]?)")
"""Short options of Snakemake in a word, of which the last alone may have a value."""


def check_folder() -> None:
    """Refuse a working folder from which a library would run code.

    Raises
    ------
    StudyError
        If there is such a file or folder, by its name.
    """
    for name in _CODE_OF_FOLDERS:
        if os.path.lexists(name):
            raise StudyError(
                f"There is {name} in this folder, from which a library would run "
                "code. Remove it if you did not put it there, or work in another "
                "folder."
            )


def snakemake_call(config: Path | str, words: Sequence[str]) -> list[str]:
    """Return the command that runs the rules for a study file.

    Nothing is imported from the working folder, and `profiles/default` in it is not
    read; a profile that `words` name is. Options are written with `=`, where they
    take no more words: those that follow may be targets.
    """
    line = [
        *(sys.executable, "-P", "-m", "snakemake"),
        *("--snakefile", str(ROOT / "Snakefile"), f"--configfile={config}"),
        "--workflow-profile=none",
    ]
    if not has_any(words, PROFILES):
        line.append("--cores=all")
    if not (has_any(words, OWN_OUTPUT) and is_looking(words)):
        line.append("--logger=microleak")
    return [*line, *words]


def is_looking(words: Iterable[str]) -> bool:
    """Say whether words for Snakemake ask only what would be done."""
    return has_any(words, LOOKING)


def has_any(words: Iterable[str], options: Set[str]) -> bool:
    """Say whether one of some words for Snakemake has one of some options."""
    return any(has_option(word, options) for word in words)


def has_option(word: str, options: Set[str]) -> bool:
    """Say whether a word has one of some options: `-np` has two, `--dryr` is short."""
    if word.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and any(each.startswith(name) for each in options)
    letters = _SHORT.match(word)
    return letters is not None and any(f"-{each}" in options for each in letters[1])


def values_of(words: Iterable[str], options: Set[str]) -> list[str]:
    """Return the words that options have which take any number of them.

    >>> values_of(["-Ra", "-k", "all", "--forcerun=b", "c"], {"-R", "--forcerun"})
    ['a', 'b', 'c']
    """
    found, is_theirs = list[str](), False
    for word in words:
        if word.startswith("-"):
            is_theirs = has_option(word, options)
            is_long = word.startswith("--")
            own = word.partition("=")[2] if is_long else _SHORT.sub("", word, count=1)
            found += [own] * bool(is_theirs and own)
        elif is_theirs:
            found.append(word)
    return found


def safe_environment() -> dict[str, str]:
    """Return the environment in which Snakemake and its jobs are run.

    A profile that the environment names would be looked for in the working folder
    first, so it is left out.
    """
    kept = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    return kept | {"PYTHONSAFEPATH": "1"}


@contextmanager
def own_cache() -> Iterator[None]:
    """Have libraries cache in a new private folder, if the user's cannot be written to.

    Numba runs what it finds in its cache, so nobody else may have put it there.
    """
    given = os.environ.get("XDG_CACHE_HOME")
    place = Path(given or "~/.cache")
    with suppress(RuntimeError):  # it is not known where the home is
        place = place.expanduser()
    if place.is_absolute() and _is_writable(place):
        yield
        return
    with TemporaryDirectory(prefix="microleak-", ignore_cleanup_errors=True) as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            del os.environ["XDG_CACHE_HOME"]
            os.environ |= {"XDG_CACHE_HOME": given} if given is not None else {}


def _is_writable(place: Path) -> bool:
    """Say whether a file can be made in a folder, which is made if it is not there.

    Only to try tells: root may write anywhere by its permissions, but not in /proc.
    """
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        TemporaryDirectory(prefix=".microleak-", dir=place).cleanup()
    except OSError:
        return False
    return True
