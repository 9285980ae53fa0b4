"""Parts of a study made again with Snakemake, as `microleak verify --rerun` asks."""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from microleak.audit import rerun
from microleak.audit.sealed import read_manifest
from microleak.base.errors import VerificationError
from microleak.base.files import UNFINISHED, remove_unfinished
from microleak.base.language import number_text
from microleak.base.locks import no_jobs, only_run
from microleak.base.paths import RESULTS
from microleak.run.display import cause_of, display
from microleak.run.forked import Started, start
from microleak.run.options import OWN_OUTPUT, has_any
from microleak.run.signals import Stops
from microleak.run.snakemake_call import safe_environment, snakemake_call
from microleak.study.fingerprint import PACKAGES, code_fingerprint, package_versions
from microleak.study.listing import first_few
from microleak.study.load import load_study


def check_study(options: argparse.Namespace) -> None:
    """Compare the study file with records and, where asked for, archives with receipts.

    Settings are compared where the code is that of the results: another version may
    know others.
    """
    manifest = read_manifest(options.folder)
    rerun.check_study_file(options.config, manifest)
    # The study file may have another name here.
    study = replace(load_study(options.config), file=manifest["config"]["name"])
    if manifest["code"]["fingerprint"] == code_fingerprint():
        rerun.check_settings(study, options.folder)
        said = _("Settings and code are those of {config} and this microleak.")
    else:
        said = _("They were made with another microleak, by {config}.")
    print(said.format(config=options.config))
    here = package_versions((*PACKAGES, "snakemake"))
    if others := [n for n, v in manifest["versions"].items() if here.get(n) != v]:
        said = _(
            "They were made with other versions ({named}): microleak run would redo "
            "what depends on these."
        )
        print(said.format(named=first_few(others)))
    if options.inputs:
        gone = rerun.check_inputs(study, options.folder, manifest)
        n_there = len(study.used) - len(gone)
        absent = _(", {n} fetched or made are not there").format(n=len(gone))
        said = ngettext(
            "{n} archive as in the receipts{absent}.",
            "{n} archives as in the receipts{absent}.",
            n_there,
        )
        print(said.format(n=number_text(n_there), absent=absent if gone else ""))


def rerun_parts(options: argparse.Namespace, words: Sequence[str]) -> None:
    """Make parts again in a folder of their own, and say that they are the same."""
    # The folder holds records of persons if a release is made again. It lies below
    # results/ and is removed however the command ends; if it is killed, by the next
    # run, resume or verify --rerun.
    manifest = read_manifest(options.folder)
    config, study = options.config, load_study(options.config)
    rerun.check_listed(study, manifest)
    again, named = rerun.part(study, options.rerun), ", ".join(options.rerun)
    rerun.check_archives(study, again, manifest)
    stops = Stops(waits=False)
    with stops.heeded(), only_run(study.name) as lock, _own_folder() as folder:
        work = rerun.prepare(folder, options.folder, study, config)
        results = work / "results" / study.name
        paths = [listed["path"] for listed in manifest["outputs"]]
        rerun.link_results(results, options.folder, paths, again)
        targets = [f"results/{study.name}/{path}" for path in sorted(again.outputs)]
        rules = ["--allowed-rules", *again.rules]
        line = [*targets, "--rerun-triggers", "input", *words, *rules]
        begin = partial(start, snakemake_call(config.name, line), lock)
        _make_parts(partial(begin, folder=work), results, stops, words)
        n_files = rerun.check_same(results, again, manifest, named)
    said = ngettext(
        "{named}: {n} file made again, the same as before.",
        "{named}: {n} files made again, the same as before.",
        n_files,
    )
    print(said.format(named=named, n=number_text(n_files)))


@contextmanager
def _own_folder() -> Iterator[Path]:
    """Yield a private folder below results/, after what killed commands left there."""
    with no_jobs():
        remove_unfinished(RESULTS)
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=RESULTS) as folder:
        yield Path(folder).resolve()


def _make_parts(
    begin: Callable[..., Started], results: Path, stops: Stops, words: Sequence[str]
) -> None:
    """Make a part's results where they are missing, and nothing else."""
    # All other rules are left out. Times are no reason to run one, as those of links
    # and copies tell nothing. Snakemake holds the lock as well, so that nothing is
    # swept while it is at work.
    work = results.parents[1]
    with (
        display(work, results, is_verbose=has_any(words, OWN_OUTPUT)) as shown,
        shown.output() as output,
    ):
        here = safe_environment() | shown.environment
        begin = partial(begin, environment=here, output=output)
        if stops.watch(begin, shown) == 0:
            return
        faults = [cause_of(fault) for fault in shown.faults()]
        why = faults[0] if faults else f"Snakemake says: {shown.last_words()}"
    raise VerificationError(f"It could not be made again. {why}")
