"""Parts of a study made again with Snakemake, as `microleak verify --rerun` asks."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from microleak.errors import VerificationError
from microleak.run import handled
from microleak.snakemake_call import safe_environment, snakemake_call
from microleak.study.config import load_study
from microleak.study.fingerprint import code_fingerprint
from microleak.study.manifest_file import read_manifest
from microleak.study.parts import Part, part
from microleak.study.rerun import check_same, link_results, prepare
from microleak.study.rerun_inputs import (
    check_archives,
    check_inputs,
    check_listed,
    check_settings,
    check_study_file,
)

STOPS = (signal.SIGTERM, signal.SIGHUP)


def check_study(options: argparse.Namespace) -> None:
    """Compare the study file with records and, where asked for, archives with receipts.

    Settings are compared where the code is that of the results: another version may
    know others.

    Raises
    ------
    MicroleakError
        If the study file is another one, a record has other settings, or an archive
        is not that of the results.
    """
    manifest = read_manifest(options.folder)
    check_study_file(options.config, manifest)
    study = load_study(options.config)
    if manifest["code"]["fingerprint"] == code_fingerprint():
        check_settings(study, options.folder)
        print(f"Settings and code are those of {options.config} and this microleak.")
    else:
        print(f"They were made with another microleak, by {options.config}.")
    if options.inputs:
        gone = check_inputs(study, options.folder, manifest)
        n_there = len(study.used) - len(gone)
        said = f", {len(gone)} fetched or made are not there" if gone else ""
        print(f"{n_there} archives are those of the receipts{said}.")


def rerun(options: argparse.Namespace, words: Sequence[str]) -> None:
    """Make parts again in a temporary folder, and say that they are the same.

    The folder holds records of persons if a release is made again. It is removed
    however the command ends, unless it is killed.

    Raises
    ------
    MicroleakError
        If there is no such part, an input is not that of the results, a part cannot
        be made again, or it differs.
    """
    manifest = read_manifest(options.folder)
    config, study = options.config, load_study(options.config)
    check_listed(study, manifest)
    again, named = part(study, options.rerun), ", ".join(options.rerun)
    check_archives(study, again, manifest)
    with (
        handled(STOPS, _ended),
        tempfile.TemporaryDirectory(prefix="microleak-") as folder,
    ):
        work = prepare(Path(folder), options.folder, study, config)
        results = work / "results" / study.name
        paths = [listed["path"] for listed in manifest["outputs"]]
        link_results(results, options.folder, paths, again)
        _make(work, config.name, study.name, again, words)
        n_files = check_same(results, again, manifest, named)
    print(f"{named}: {n_files} files made again are the same.")


def _make(
    work: Path, config: str, study: str, again: Part, words: Sequence[str]
) -> None:
    """Make a part's results where they are missing, and nothing else.

    All other rules are left out. Times are no reason to run one, as those of links
    and copies tell nothing.
    """
    targets = [
        *(f"results/{study}/{path}" for path in sorted(again.outputs)),
        *("--rerun-triggers", "input", *words, "--allowed-rules", *again.rules),
    ]
    if _status(snakemake_call(config, targets), work) == 0:
        return
    logs = sorted((work / "results" / study / "logs").rglob("*.log"))
    said = [text for log in logs if (text := log.read_text("utf-8").strip())]
    why = said[0] if said else "Snakemake says above what stopped it."
    raise VerificationError(f"It could not be made again. {why}")


def _status(line: Sequence[str], work: Path) -> int:
    """Run a command, with a session of its own that ends when this one does."""
    with subprocess.Popen(
        line,
        cwd=work,
        env=safe_environment(),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    ) as process:
        try:
            return process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            raise


def _ended(number: int, _: object) -> None:
    """End as an error does, so that all is tidied up, with a shell's status."""
    raise SystemExit(128 + number)
