"""`microleak verify`: results against what says how they were made, and made again."""

import argparse
from importlib import import_module
from pathlib import Path

from microleak.cli.options import names

INPUTS = "hash the archives, too, and compare them with the receipts"
RERUN = (
    "make parts again in a folder of their own and compare, by commas: an "
    "analysis, TABLE/RELEASE or report; words after -- go to Snakemake"
)
CONFIG = "study file (default: the one of that name in this folder or in config/)"


def add_verify(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    sub.add_argument("folder", type=Path, help="results/STUDY")
    sub.add_argument("--inputs", action="store_true", help=INPUTS)
    sub.add_argument("--rerun", default=(), type=names, metavar="PART,…", help=RERUN)
    sub.add_argument("--config", type=Path, help=CONFIG)
    sub.set_defaults(command=_verify)


def _verify(options: argparse.Namespace, words: list[str]) -> int:
    return int(import_module("microleak.cli.verification").verification(options, words))
