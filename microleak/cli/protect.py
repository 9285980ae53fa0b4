"""A protected release of a study, made and written to a file."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from microleak.base.errors import StudyError, counted
from microleak.base.files import sha256_of
from microleak.base.locks import only_run
from microleak.base.paths import RESULTS
from microleak.base.progress import watched_by
from microleak.cli.rerun import STOPS, ended
from microleak.cli.store import store_of
from microleak.report.editions import suppressed
from microleak.report.texts import voice
from microleak.run.watching import watcher
from microleak.run.workflow import handled, make_result
from microleak.study.exported import (
    check_file,
    export_protected,
    protection_named,
    record_of,
)
from microleak.study.load import load_study


def protect(options: argparse.Namespace, words: list[str]) -> int:
    """Make a protected release where it is not as it should be, and write it to FILE.

    Raises
    ------
    MicroleakError
        If there are words too many, there is no such protection, FILE cannot be
        written, or the study file is changed meanwhile.
    """
    if words:
        raise StudyError(
            f"microleak protect takes no words after its options: {words}. For words "
            "to Snakemake make the results first, with microleak run."
        )
    config, file = options.config, options.to
    study, sha256 = load_study(config), sha256_of(config)
    job = protection_named(study, options.recipe, config)
    results = RESULTS / study.name
    check_file(file, results, study, job)
    target = (results / job.outputs["people"]).as_posix()
    status = make_result(
        config,
        target,
        options.max_memory,
        store_of(options),
        is_verbose=options.verbose,
    )
    if status:
        return status
    if sha256_of(config) != sha256:
        raise StudyError(
            f"{config} was changed while the release was protected. Run it again."
        )
    shown = watcher("", str(file), sys.stderr)
    with handled(STOPS, ended), only_run(study.name), watched_by(shown):
        told = export_protected(study, results, config, job, file)
    n_records = told["protections"][-1]["n_records"]
    print(
        f"microleak: {file} has {counted(n_records, 'record')}, and {record_of(file)} "
        "what was done to them. Publish the first alone, and keep the second.",
        file=sys.stderr,
    )
    if "layout" in told["file"]:
        print(f"microleak: {_layout(told['file'])}", file=sys.stderr)
    for each in told["protections"]:
        for row in each["changes"]:
            if "n_suppressed" in row:
                cells = row["n_suppressed"], row.get("n_suppressed_at_least")
                said = suppressed(*cells, voice("en"))
                print(f"microleak: {each['name']}: {said}", file=sys.stderr)
    table = study.tables[job.names["table"]]
    names = table.chain_names(options.recipe)
    if seeded := [n for n in names if table.protections[n].follows_from_seed]:
        keys = " and ".join(f"protections.{name}.key" for name in seeded)
        print(
            f"microleak: warning: what is random in {file} follows from the study's "
            "seed, so that someone who tries all seeds can undo it. Before you publish "
            f"it, give {keys} a file (docs/protect.md), and make it again.",
            file=sys.stderr,
        )
    return 0


def _layout(file: Mapping[str, Any]) -> str:
    """Say where the fields of lines are, and which had to become wider."""
    said = f"{file['layout']} has where its fields are: publish it, too."
    if file["wider"]:
        return (
            f"{said} Labels are wider than the fields of {', '.join(file['wider'])}, "
            "which became wider, and later ones moved."
        )
    return f"{said} All are where the release has them."
