"""Snakemake's options, as words after `--` have them: each is of one kind.

What a run does by records, an option must not undo without a word: it is heard, as
Snakemake has it, or refused with the reason.
"""

import re
from collections.abc import Iterable, Set

# Options that name files of further options
PROFILES = frozenset({"--profile", "--workflow-profile"})
# Options that have Snakemake say more, for someone who wants to read it
OWN_OUTPUT = frozenset({"--verbose", "--printshellcmds", "-p", "--debug-dag"})

LOOKING = frozenset(
    {
        *("-n", "--dry-run", "--dryrun", "--dag", "--rulegraph", "--filegraph"),
        *("--d3dag", "--summary", "-S", "-D", "--detailed-summary", "-l", "--list"),
        *("--list-rules", "--list-target-rules", "--lt", "--lint", "-v", "--version"),
        *("-h", "--help", "--list-changes", "--lc", "--list-input-changes", "--li"),
        *("--list-params-changes", "--lp", "--list-untracked", "--lu"),
        *("--print-compilation", "--list-conda-envs"),
    }
)
"""Options that have Snakemake say what it would do, or is there, and do nothing."""

INSTEAD = frozenset(
    {
        *("--report", "--unlock", "--delete-all-output", "--delete-temp-output"),
        *("--cleanup-metadata", "--cm", "--cleanup-shadow", "--conda-cleanup-envs"),
        *("--conda-cleanup-pkgs", "--conda-create-envs-only"),
        *("--container-cleanup-images", "--containerize", "--export-cwl"),
    }
)
"""Options that have Snakemake do something else than make results."""

FORCE = ("--forcerun", "-R")
OMIT = ("--omit-from", "-O")
UNTIL = ("--until", "-U")
# Options that choose some results, or have them made again
PART = frozenset({*UNTIL, *OMIT, *FORCE, "-f", "--force", "-F", "--forceall"})
# Options that forget what was said before to the same option
RESOURCES = frozenset({"--resources", "--res", "--set-resources"})

CONFIGURATION = frozenset(
    {
        *("--config", "-C", "--configfile", "--configfiles"),
        *("--replace-workflow-config", "--directory", "-d"),
    }
)
"""Options that say what a study is, or where."""

# Options with which jobs may run on another machine
ELSEWHERE = PROFILES | {"--executor", "-e"}
_OTHER_RULES = frozenset({"--snakefile", "-s", "--wrapper-prefix"})
_TIMES = frozenset({"--touch", "-t"})
_COPIES = frozenset({"--archive", "--cache", "--generate-unit-tests"})
_OF_SNAKEMAKE = frozenset(
    {
        *("--allowed-rules", "--attempt", "--deploy-sources", "--job-deploy-sources"),
        *("--local-groupid", "--mode", "--target-jobs", "--unneeded-temp-files"),
        *("--target-files-omit-workdir-adjustment", "--wait-for-files"),
        *("--wait-for-files-file", "--immediate-submit", "--is"),
    }
)
_NO_USE = frozenset(
    {
        *("--draft-notebook", "--edit-notebook", "--notebook-listen", "--batch"),
        *("--set-scatter", "--no-subworkflows", "--nosw", "--debug"),
    }
)

REFUSED = {
    CONFIGURATION: "would change the study, which is read from {config} alone. Write "
    "what it says into the file, or into a copy under another name in study, and run "
    "that.",
    _OTHER_RULES: "would run rules that are not microleak's. Call snakemake itself for "
    "that.",
    _TIMES: "would change only the times of files, which microleak does not go by. "
    "Leave it out.",
    _COPIES: "would copy records of persons to where others may read them. Leave it "
    "out.",
    _OF_SNAKEMAKE: "is one that only Snakemake itself gives, when it starts its jobs. "
    "Leave it out.",
    _NO_USE: "has no use here: no rule is of that kind. Leave it out.",
}
"""Options that are refused, and why."""

_SHORT = re.compile("-([aDfFhklnpStv]*[a-zA-Z]?)")
"""Short options of Snakemake in a word, of which the last alone may have a value."""


def has_any(words: Iterable[str], options: Set[str]) -> bool:
    return any(has_option(word, options) for word in words)


def has_option(word: str, options: Set[str]) -> bool:
    """Say whether a word has one of some options: `-np` has two, `--dryr` is short."""
    if word.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and any(each.startswith(name) for each in options)
    letters = _SHORT.match(word)
    return letters is not None and any(f"-{each}" in options for each in letters[1])


def values_of(words: Iterable[str], options: Set[str]) -> list[str]:
    """Return the words that options have which take any number of them."""
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


def is_looking(words: Iterable[str]) -> bool:
    return has_any(words, LOOKING)
