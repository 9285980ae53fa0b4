"""The records most at risk, as `microleak risks` asks for them: for the office alone.

No message and no error shows a value, a key or the number of a record.
"""

import argparse
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from gettext import gettext as _
from gettext import ngettext
from math import ceil
from pathlib import Path
from typing import Any

import microleak
from microleak.attacks.collective.listed import (
    BLOCKS,
    RISKS,
    LeastAlike,
    ListedAnalysis,
)
from microleak.audit.opened import OpenedStudy, open_results
from microleak.audit.sealed import read_manifest
from microleak.base.errors import StudyError, check_known
from microleak.base.files import whole_file
from microleak.base.language import number_text
from microleak.base.paths import MANIFEST
from microleak.base.progress import told_by
from microleak.base.strict_csv import check_exists
from microleak.cli import files
from microleak.cli.commands import print_line
from microleak.exports.text import guarded
from microleak.policy.limits import Policy, are_in, read_policy
from microleak.records.chunks import ParquetChunks, TableChunks
from microleak.sources.steps.intermediate import receipt, schema_of
from microleak.study.listing import LISTS
from microleak.study_file.hierarchies import HierarchySection

FOLDER = Path(LISTS)
"""Where lists are, below a study's results or the folder of the command."""

_OF = "collective/"


def list_risks(options: argparse.Namespace, _words: list[str]) -> int:
    policy = read_policy(options.policy) if options.policy else None
    is_study = options.place.is_dir()
    of_file = {"--qids": options.qids, "--sensitive": options.sensitive}
    others = of_file if is_study else {"--analysis": options.analysis}
    for option, given in others.items():
        if given:
            said = _("{option} does not go with {place}. Leave it out.")
            raise StudyError(said, option=option, place=options.place)
    folder = (options.to or (options.place if is_study else Path())) / FOLDER
    _check_private(folder)
    with told_by(print_line):
        every = (
            _of_study(options, folder)
            if is_study
            else [(options.place.stem, _of_file(options))]
        )
        for name, analysis in every:
            limits = [*_limits(policy, analysis)] if policy else []
            listed = replace(analysis, limits=limits)
            if policy:
                known = [each.has for each in limits] or [policy.facts.has]
                listed = replace(listed, may_know=partial(_is_in_any, known))
            found, blocks = listed.tables(options.most)
            _write_private(folder / f"{name}.csv", RISKS, found)
            _write_private(folder / "blocks" / f"{name}.csv", BLOCKS, blocks)
            print(_said(folder / f"{name}.csv", found))
    return 0


def _is_in_any(every: Iterable[Callable[[str], bool]], qids: str) -> bool:
    return any(has(qids) for has in every)


def _said(path: Path, found: Sequence[Mapping[str, Any]]) -> str:
    n = len(found)
    if not n:
        said = _("{path}: no set of facts that was looked at finds anybody out surely.")
        return said.format(path=path)
    least = found[0]["n_facts"]
    n_least = sum(row["n_facts"] == least for row in found)
    records = ngettext("{n} record", "{n} records", n).format(n=number_text(n))
    facts = ngettext("{n} fact", "{n} facts", least).format(n=least)
    said = _("{path}: {records}, most at risk first; {n} of them by {facts}.")
    return said.format(path=path, records=records, facts=facts, n=number_text(n_least))


def _limits(policy: Policy, analysis: ListedAnalysis) -> Iterator[LeastAlike]:
    """Yield the limits of a policy that say how many of its records are to be alike."""
    for limit in policy.limits:
        facts, bound = limit.facts or policy.facts, limit.bound
        # Other rows are those of analyses that a list is not of.
        is_of_it = limit.where.keys() <= analysis.of.keys()
        if not (is_of_it and are_in(limit.where, analysis.of)):
            continue
        if limit.measure == "anonymity.k_anonymity" and not limit.is_upper:
            yield LeastAlike(limit.name, ceil(bound), facts.has)
        elif limit.measure == "anonymity.prosecutor_risk" and limit.is_upper and bound:
            yield LeastAlike(limit.name, ceil(1 / bound), facts.has)


def _check_private(folder: Path) -> None:
    """Refuse a folder that others are given: below a report, or among results."""
    place = folder.resolve()
    for parent in place.parents:
        is_report = parent.name == "report" or (parent / "index.html").exists()
        if is_report or ((parent / MANIFEST).exists() and place != parent / FOLDER):
            said = _(
                "The list exposes persons, and others may see {parent}, where {folder} "
                "is. Give another folder with --to."
            )
            raise StudyError(said, folder=folder, parent=parent)


def _of_study(
    options: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, ListedAnalysis]]:
    study = open_results(options.place)
    told = read_manifest(study.folder)["config"]["content"]
    is_public = told.get("report", {}).get("audience") == "public"
    if is_public and folder.resolve().is_relative_to(study.folder.resolve()):
        said = _(
            "{folder} is of a public study, beside whose report no list of persons is "
            "written. Give another folder with --to."
        )
        raise StudyError(said, folder=study.folder)
    names = [name.removeprefix(_OF) for name in study if name.startswith(_OF)]
    if not names:
        said = _("{folder} has no collective analysis, for a list. Add one.")
        raise StudyError(said, folder=study.folder)
    for name in options.analysis:
        check_known(name, names, _("--analysis: the study has no collective analysis"))
    path = study.checked_file("published/published.json")
    families = json.loads(path.read_text("utf-8"))["families"]
    fewer = families.get("collective", {}).get("analyses", {})
    hierarchies = {
        name: HierarchySection.model_validate(each)
        for name, each in told.get("hierarchies", {}).items()
    }
    for name in options.analysis or names:
        listed = _analysis_of(study, name, fewer.get(name, {}).get("fewer", {}))
        yield name, replace(listed, hierarchies=hierarchies)


def _analysis_of(
    study: OpenedStudy, name: str, fewer: Mapping[str, Sequence[str]]
) -> ListedAnalysis:
    """Return an analysis with all releases that it links."""
    every = study[_OF + name]
    measures = every[every["auxiliary"] == every["auxiliary"].iloc[-1]]
    table, focal, auxiliary = measures[["table", "focal", "auxiliary"]].iloc[-1]
    linked = auxiliary.split("|") if auxiliary else []
    paths = [
        f"people/{table}/{focal}.parquet",
        *(f"panels/{table}/{focal}/{release}.parquet" for release in linked),
    ]
    files = [study.checked_file(path) for path in paths]
    qids = dict.fromkeys(q for each in measures["qids"] for q in each.split("|"))
    facts = {
        qid: [*(f"{qid}|{r}" for r in linked if qid in fewer.get(r, qids)), qid]
        for qid in qids
    }
    columns = {column for path in files for column in schema_of(path).names}
    key = receipt(files[0].with_suffix(".json")).get("person_id") or ""
    return ListedAnalysis(
        ParquetChunks(files),
        facts,
        [s for s in dict.fromkeys(measures["sensitive"]) if s in columns],
        measures,
        key if key in columns else "",
        {"table": table, "focal": focal},
    )


def _of_file(options: argparse.Namespace) -> ListedAnalysis:
    check_exists(options.place, "FILE")
    if not options.qids:
        raise StudyError("A list of a file needs --qids. Give columns, as a,b,c.")
    columns = files.columns_of(options.place, options)
    options = files.with_columns(options, columns)
    wanted = {"--qids": options.qids, "--sensitive": options.sensitive}
    table = files.read_columns(options.place, wanted, options)
    with files.in_words_of_options():
        found = microleak.assess(table, options.qids, options.sensitive, "all")
    facts = {qid: [qid] for qid in options.qids}
    return ListedAnalysis(
        TableChunks(table),
        facts,
        options.sensitive,
        found.collective,
        options.person_id or "",
    )


def _write_private(
    path: Path, header: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write rows to a file that its owner alone can open, and so its folder."""
    for folder in reversed(path.parents):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.parent.chmod(0o700)
    with whole_file(path) as aside:
        aside.touch(mode=0o600)
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerow(header)
            for row in rows:
                writer.writerow(guarded(str(row.get(name, ""))) for name in header)
