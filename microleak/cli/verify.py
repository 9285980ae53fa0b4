"""`microleak verify`: results against their manifest, and parts of them made again."""

import argparse
from importlib import import_module
from pathlib import Path

from microleak.cli.options import names
from microleak.study.manifest import verify

RERUN = (
    "make parts again in a temporary folder and compare, by commas: an analysis, "
    "TABLE/RELEASE or report; words after -- go to Snakemake"
)
CONFIG = "study file, for --rerun (default: the one of that name in this folder)"


def add_verify(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    sub.add_argument("folder", type=Path, help="results/STUDY")
    sub.add_argument("--rerun", default=(), type=names, metavar="PART,…", help=RERUN)
    sub.add_argument("--config", type=Path, help=CONFIG)
    sub.set_defaults(command=_verify)


def _verify(options: argparse.Namespace, words: list[str]) -> int:
    n_files = verify(options.folder)
    print(f"{n_files} files of {options.folder} are as their manifest lists them.")
    if options.rerun:
        # Loaded when asked for, so that the check alone does not wait for it.
        import_module("microleak.cli.rerun").rerun(options, words)
    return 0
