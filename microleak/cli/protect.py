"""A protected release of a study, made and written to a file."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Any

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.base.language import number_text, spoken_language
from microleak.base.locks import only_run
from microleak.base.paths import RESULTS
from microleak.cli.commands import store_of
from microleak.report.editions import suppressed
from microleak.report.texts import Voice, voice
from microleak.run.signals import Stops
from microleak.run.workflow import run
from microleak.study import exported
from microleak.study.load import load_study
from microleak.study_file.model import Table


def protect_release(options: argparse.Namespace, words: list[str]) -> int:
    if words:
        raise StudyError(
            f"microleak protect takes no words after its options: {words}. For words "
            "to Snakemake make the results first, with microleak run."
        )
    config, file = options.config, options.to
    study, sha256 = load_study(config), sha256_of(config)
    job = exported.protection_named(study, options.recipe, config)
    results = RESULTS / study.name
    exported.check_file(file, results, study, job)
    target = (results / job.outputs["people"]).as_posix()
    limits = options.max_memory, store_of(options)
    status = run(
        config, [target], *limits, way="one result", is_verbose=options.verbose
    )
    if status:
        return status
    if sha256_of(config) != sha256:
        said = _("{config} was changed while the release was protected. Run it again.")
        raise StudyError(said, config=config)
    with Stops(waits=False).heeded(), only_run(study.name):
        told = exported.export_protected(study, results, config, job, file)
    table = study.tables[job.names["table"]]
    for said in (
        *_file_sentences(told, file, voice(spoken_language(), [table.source])),
        *_guessable_seed(table, options.recipe, file),
    ):
        print(f"microleak: {said}", file=sys.stderr)
    return 0


def _file_sentences(told: Mapping[str, Any], file: Path, voice: Voice) -> Iterator[str]:
    """Yield what a file has, what is beside it, and which cells it lacks."""
    n_records = told["protections"][-1]["n_records"]
    yield ngettext(
        "{file} has {n} record, and {record} says what was done to it. Publish the "
        "first alone, and keep the second.",
        "{file} has {n} records, and {record} says what was done to them. Publish the "
        "first alone, and keep the second.",
        n_records,
    ).format(file=file, n=number_text(n_records), record=exported.record_of(file))
    yield _(
        "its columns are those that its steps and its analyses name: {columns}. "
        "To have others, name them in attributes of the protection."
    ).format(columns=", ".join(told["file"]["columns"]))
    if "layout" in told["file"]:
        yield _layout_sentence(told["file"])
    for each in told["protections"]:
        for row in each["changes"]:
            if "n_suppressed" in row:
                cells = row["n_suppressed"], row.get("n_suppressed_at_least")
                yield f"{each['name']}: {suppressed(*cells, voice)}"


def _guessable_seed(table: Table, recipe: str, file: Path) -> Iterator[str]:
    """Warn of protections that someone can undo who guesses the study's seed."""
    names = table.chain_names(recipe)
    if seeded := [n for n in names if table.protections[n].follows_from_seed]:
        keys = _(" and ").join(f"protections.{name}.key" for name in seeded)
        yield _(
            "warning: what is random in {file} follows from the study's seed, so that "
            "someone who tries all seeds can undo it. Before you publish it, name a "
            "file in {keys} (docs/protect.md), and make it again."
        ).format(file=file, keys=keys)


def _layout_sentence(file: Mapping[str, Any]) -> str:
    """Return where the fields of lines are, and which had to become wider."""
    said = _("{layout} says where its fields are: publish it, too.")
    said = said.format(layout=file["layout"])
    if not file["wider"]:
        return f"{said} {_('Every field is where the release has it.')}"
    wider = _(
        "Some labels are wider than the fields of {names}: these were widened, and "
        "later fields moved."
    )
    return f"{said} {wider.format(names=', '.join(file['wider']))}"
