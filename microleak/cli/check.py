"""Limits of a policy tried on a finished study, as `microleak check` asks for it."""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from gettext import gettext as _
from pathlib import Path
from typing import Any

from microleak.audit.opened import open_results
from microleak.base.errors import MicroleakError, StudyError
from microleak.base.files import sha256_of, write_text
from microleak.base.paths import MANIFEST, RESULTS
from microleak.base.progress import told_by
from microleak.cli.commands import check_folder_is_there, print_line
from microleak.policy.limits import Policy, lines_of, read_policy
from microleak.policy.verdicts import (
    UNMEASURED,
    GivenTable,
    Verdict,
    became_worse,
    verdicts,
)
from microleak.policy.written import annotations, as_json, junit, said_of
from microleak.study.tables import result_tables
from microleak.study_file.yaml import read_yaml

KEPT, BROKEN, NOT_MEASURED = 0, 1, 2
"""Statuses that the command exits with."""


def check_policy(options: argparse.Namespace, _words: list[str]) -> int:
    # Whatever goes wrong is not to be taken for a limit that is broken.
    try:
        return _checked(options)
    except MicroleakError as error:
        said = str(error)
    except OSError as error:
        said = f"{error.filename}: {error.strerror}. Give another place."
    print(f"microleak: {said}", file=sys.stderr)
    return NOT_MEASURED


def policy_of_study(config: Path) -> tuple[Path, Path] | None:
    """Return results and policy of a study file that names one, which is read here."""
    content: Any = read_yaml(config)
    given = content if isinstance(content, dict) else {}
    study, named = given.get("study"), given.get("policy")
    if not isinstance(named, str) or not isinstance(study, str):
        return None  # What is wrong with a study file is said by who reads it
    read_policy(Path(named))
    return RESULTS / study, Path(named)


def check_results(place: Path, policy: Path) -> int:
    others = dict.fromkeys(("before", "github", "junit", "result", "qids"))
    return check_policy(argparse.Namespace(place=place, policy=policy, **others), [])


def _checked(options: argparse.Namespace) -> int:
    policy, today = read_policy(options.policy), datetime.now(UTC).date()
    is_study = options.place.is_dir() or not options.place.exists()
    if is_study:
        if options.qids:
            said = _("{option} does not go with {place}. Leave it out.")
            raise StudyError(said, option="--qids", place=options.place)
        found = [*verdicts(policy, _tables(options.place, policy), today)]
    else:
        found = _of_file(options, policy)
    for verdict in found:
        print("\n".join(said_of(verdict)))
    if options.before:
        earlier = [*verdicts(policy, _tables(options.before, policy), today)]
        for verdict, now, before in became_worse(found, earlier):
            print(
                _("{limit}: worse than before: {now}, and was {before}").format(
                    limit=verdict.limit.name, now=f"{now:.6g}", before=f"{before:.6g}"
                )
            )
    if options.github:
        lines = dict(lines_of(options.policy))
        print("\n".join(annotations(found, options.policy, lines)))
    if options.junit:
        write_text(options.junit, junit(found, policy.name))
    of = "manifest_sha256" if is_study else "file_sha256"
    known = {
        "policy": policy.name,
        "policy_sha256": sha256_of(options.policy),
        "results": options.place.name,
        of: sha256_of(options.place / MANIFEST if is_study else options.place),
        "checked_on": today.isoformat(),
    }
    result = options.result
    if is_study and not result:
        result = options.place.with_name(f"{options.place.name}.check.json")
    if result:  # Beside a file of persons, its hash is written only if asked for
        write_text(result, as_json(found, known))
    return _status(found)


def _of_file(options: argparse.Namespace, policy: Policy) -> list[Verdict]:
    from microleak.cli import files  # noqa: PLC0415
    from microleak.policy.frames import frame_verdicts, known_of  # noqa: PLC0415

    columns = files.columns_of(options.place, options)
    options = files.with_columns(options, columns)
    others = [name for name in columns if name != options.person_id]
    qids = options.qids or known_of(policy, others)
    wanted = {"--qids": qids, "the policy": policy.sensitive}
    with told_by(print_line):
        table = files.read_columns(options.place, wanted, options)
        with files.in_words_of_options():
            return [*frame_verdicts(policy, table, qids)]


def _status(found: list[Verdict]) -> int:
    if any(verdict.is_failed for verdict in found):
        return BROKEN
    return NOT_MEASURED if any(v.status == UNMEASURED for v in found) else KEPT


def _tables(folder: Path, policy: Policy) -> Iterator[GivenTable]:
    """Yield the tables of a finished study that limits are about."""
    check_folder_is_there(folder)
    study = open_results(folder)
    wanted = {limit.table for limit in policy.limits}
    for name in study:
        table = name.partition("/")[0]
        if table in wanted:
            path = study.path(name).as_posix()
            yield GivenTable(path, result_tables()[table], study[name])
