"""How Snakemake is called, so that the working folder cannot run code of its own.

A study folder may be somebody else's. Python and Snakemake look for modules and
profiles in the working folder first; here they are kept from it.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT

_CODE_OF_FOLDERS = (".snakemake/pip-deployments", ".numba_config.yaml")
"""What libraries take from the working folder: modules, and where they are cached."""

_WORKFLOW_PROFILE = ("--workflow-p",)
_OWN_OUTPUT = (
    *("--quiet", "-q", "--verbose", "--printshellcmds", "-p", "--logger"),
    *("--debug-dag", "--executor", "-e", "--profile", *_WORKFLOW_PROFILE),
)
"""Options, by their beginnings, of who wants to read what Snakemake itself says."""


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
    if not _has(words, _WORKFLOW_PROFILE):
        line.append("--cores=all")
    if not _has(words, _OWN_OUTPUT):
        line.append("--logger=microleak")
    return [*line, *words]


def safe_environment() -> dict[str, str]:
    """Return the environment in which Snakemake and its jobs are run.

    A profile that the environment names would be looked for in the working folder
    first, so it is left out. Where the home folder cannot be written to, caches are
    below the working folder.
    """
    kept = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    if not os.access(Path.home(), os.W_OK):
        # Snakemake and numba keep caches there, or where this says.
        kept["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").absolute())
    return kept | {"PYTHONSAFEPATH": "1"}


def _has(words: Sequence[str], options: tuple[str, ...]) -> bool:
    return any(word.startswith(options) for word in words)
