"""How Snakemake is called, so that the working folder cannot run code of its own.

A study folder may be somebody else's. Python and Snakemake look for modules and
profiles in the working folder first; here they are kept from it.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT
from microleak.run.options import OWN_OUTPUT, PROFILES, has_any, is_looking

_CODE_OF_FOLDERS = (".snakemake/pip-deployments", ".numba_config.yaml")
"""What libraries take from the working folder: modules, and where they are cached."""

_SCHEDULERS = frozenset({"--scheduler", "--scheduler-ilp-solver"})


def check_folder() -> None:
    for name in _CODE_OF_FOLDERS:
        if os.path.lexists(name):
            raise StudyError(
                f"There is {name} in this folder, from which a library would run code. "
                "Remove it if you did not put it there, or work in another folder."
            )


def snakemake_call(config: Path | str, words: Sequence[str]) -> list[str]:
    if not find_spec("snakemake"):
        raise ModuleNotFoundError(name="snakemake")
    # Nothing is imported from the working folder, and `profiles/default` in it is not
    # read; a profile that `words` name is. Options are written with `=`, where they
    # take no more words: those that follow may be targets.
    line = [
        *(sys.executable, "-P", "-m", "snakemake"),
        *("--snakefile", str(ROOT / "Snakefile"), f"--configfile={config}"),
        "--workflow-profile=none",
    ]
    if not has_any(words, PROFILES):
        line.append("--cores=all")
        # A program is solved for each job otherwise.
        if not has_any(words, _SCHEDULERS):
            line.append("--scheduler=greedy")
    if not (has_any(words, OWN_OUTPUT) and is_looking(words)):
        line.append("--logger=microleak")
    return [*line, *words]


def safe_environment() -> dict[str, str]:
    # A profile that the environment names would be looked for in the working folder
    # first, so it is left out.
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
    """Say whether a file can be made in a folder, which is made if it is not there."""
    # Only to try tells: root may write anywhere by its permissions, but not in /proc.
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        TemporaryDirectory(prefix=".microleak-", dir=place).cleanup()
    except OSError:
        return False
    return True
