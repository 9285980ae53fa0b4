"""Words for Snakemake that are refused before a run begins, in one line."""

import io
from argparse import Namespace
from collections.abc import Sequence
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path

from microleak.base.errors import StudyError, check_known
from microleak.run.options import PROFILES, REFUSED, has_any, has_option
from microleak.study.steps import steps_by_rule

_NO_TARGET = "The words after -- name a target that is no rule and no file:"
_CHOOSING = {
    "until": "--until, after --, names no rule:",
    "omit_from": "--omit-from, after --, names no rule:",
    "forcerun": "--forcerun, after --, names no rule:",
}


def check_words(words: Sequence[str], config: Path) -> None:
    """Refuse words that a run could not hear, and rules that there are not."""
    for word in words:
        for options, why in REFUSED.items():
            if has_option(word, options):
                option = word.partition("=")[0]
                raise StudyError(f"{option}, after --, {why.format(config=config)}")
    given = _parsed(words) if words else Namespace()
    for option in ("config", "configfile"):
        if getattr(given, option, None):
            raise StudyError(
                f"The profile sets {option}, which would change the study: it is "
                f"read from {config} alone. Remove it from the profile."
            )
    rules = ["all", *steps_by_rule()]
    named = [(_NO_TARGET, given.targets if words else ())]
    named += [(said, getattr(given, each, ())) for each, said in _CHOOSING.items()]
    for said, names in named:
        for name in names or ():
            if "/" not in name and not Path(name).exists():
                check_known(name, rules, said)


def _parsed(words: Sequence[str]) -> Namespace:
    """Return what Snakemake makes of words, and of the profiles that they name."""
    # Only what is asked for is read: a profile may run code.
    unasked = [f"{o}=none" for o in sorted(PROFILES) if not has_any(words, {o})]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            given: Namespace = import_module("snakemake.cli").parse_args(
                [*unasked, *words]
            )[1]
    except SystemExit as end:
        if not end.code:  # its help or version, which are printed
            raise
        why = said.getvalue().strip().rpartition("\n")[2].rpartition(" error: ")[2]
    except Exception as error:
        why = f"{type(error).__name__} {error}"
    else:
        return given
    if "invalid choice: 'slurm'" in why:
        why += ". Install the plugin that envs/slurm.lock names (docs/cluster.md)"
    raise StudyError(f"Snakemake does not take the words after --: {why}.")
