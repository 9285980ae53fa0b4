"""The records most at risk, as `microleak risks` asks for them: for the office alone.

No message and no error shows a value, a key or the number of a record.
"""

import argparse
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext
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
from microleak.cli.files import (
    columns_of,
    finished_study,
    in_words_of_options,
    read_columns,
    with_columns,
)
from microleak.policy.limits import Policy, read_policy
from microleak.records.chunks import ParquetChunks, TableChunks
from microleak.sources.steps.intermediate import receipt, schema_of
from microleak.study_file.hierarchies import HierarchySection

FOLDER = Path("confidential", "risks")
"""Where lists are, below a study's results or the folder of the command."""

_OF = "collective/"


def list_risks(options: argparse.Namespace, _words: list[str]) -> int:
    policy = read_policy(options.policy) if options.policy else None
    limits = [*_limits(policy)] if policy else []
    is_study = options.place.is_dir()
    folder = (options.to or (options.place if is_study else Path())) / FOLDER
    _check_private(folder)
    listed = _of_study if is_study else _of_file
    for name, analysis in listed(options, limits):
        found, blocks = analysis.tables(options.most)
        _write_private(folder / f"{name}.csv", RISKS, found)
        _write_private(folder / f"{name}-blocks.csv", BLOCKS, blocks)
        print(_said(folder / f"{name}.csv", found))
    return 0


def _said(path: Path, found: Sequence[Mapping[str, Any]]) -> str:
    n = len(found)
    if not n:
        return _("{path}: nobody is found out surely.").format(path=path)
    least = found[0]["n_facts"]
    n_least = sum(row["n_facts"] == least for row in found)
    records = ngettext("{n} record", "{n} records", n).format(n=number_text(n))
    facts = ngettext("{n} fact", "{n} facts", least).format(n=least)
    said = _("{path}: {records}, worst first; {n} of them by {facts}.")
    return said.format(path=path, records=records, facts=facts, n=number_text(n_least))


def _limits(policy: Policy) -> Iterator[LeastAlike]:
    """Yield the limits of a policy that say how many records are to be alike."""
    for limit in policy.limits:
        facts = limit.facts or policy.facts
        if limit.measure == "anonymity.k_anonymity" and not limit.is_upper:
            yield LeastAlike(limit.name, -(-limit.bound // 1), facts.has)
        elif limit.measure == "anonymity.prosecutor_risk" and limit.bound > 0:
            yield LeastAlike(limit.name, -(-1 / limit.bound // 1), facts.has)


def _check_private(folder: Path) -> None:
    """Refuse a folder below a report, which others are given."""
    for parent in folder.resolve().parents:
        if parent.name == "report" or (parent / "index.html").exists():
            said = _(
                "{folder} is below {report}, which others may see, and the list is of "
                "persons. Give another folder with --to."
            )
            raise StudyError(said, folder=folder, report=parent)


def _of_study(
    options: argparse.Namespace, limits: Sequence[LeastAlike]
) -> Iterator[tuple[str, ListedAnalysis]]:
    study = open_results(options.place)
    path = study.folder / "published" / "published.json"
    published = json.loads(path.read_text("utf-8"))
    if published["audience"] == "public":
        said = _(
            "{folder} is of a public study, beside whose report no list of persons is "
            "written. Give another folder with --to."
        )
        if not options.to:
            raise StudyError(said, folder=study.folder)
    names = [name.removeprefix(_OF) for name in study if name.startswith(_OF)]
    for name in options.analysis:
        check_known(name, names, _("--analysis: the study has no collective analysis"))
    given = read_manifest(study.folder)["config"]["content"].get("hierarchies", {})
    hierarchies = {
        name: HierarchySection.model_validate(each) for name, each in given.items()
    }
    told = published["families"].get("collective", {}).get("analyses", {})
    for name in options.analysis or names:
        listed = _analysis_of(study, name, told.get(name, {}), limits)
        yield name, replace(listed, hierarchies=hierarchies)


def _analysis_of(
    study: OpenedStudy,
    name: str,
    told: Mapping[str, Any],
    limits: Sequence[LeastAlike],
) -> ListedAnalysis:
    """Return the list of an analysis with all releases that it links."""
    every = study[_OF + name]
    measures = every[every["auxiliary"] == every["auxiliary"].iloc[-1]]
    table, focal, auxiliary = measures[["table", "focal", "auxiliary"]].iloc[-1]
    linked = str(auxiliary).split("+") if auxiliary else []
    files = finished_study(study.folder, table, focal).files
    qids = dict.fromkeys(q for each in measures["qids"] for q in each.split("|"))
    fewer = told.get("fewer", {})
    facts = {
        qid: [
            *(f"{qid}|{r}" for r in linked if qid in fewer.get(r, qids)),
            qid,
        ]
        for qid in qids
    }
    columns = {column for path in files.values() for column in schema_of(path).names}
    sensitive = [s for s in dict.fromkeys(measures["sensitive"]) if s in columns]
    key = receipt(files[focal].with_suffix(".json")).get("person_id") or ""
    chunks = ParquetChunks([files[release] for release in (focal, *linked)])
    return ListedAnalysis(
        chunks, facts, sensitive, measures, key if key in columns else "", limits
    )


def _of_file(
    options: argparse.Namespace, limits: Sequence[LeastAlike]
) -> Iterator[tuple[str, ListedAnalysis]]:
    if not options.qids:
        raise StudyError(_("A list of a file needs --qids. Give columns, as a,b,c."))
    columns = columns_of(options.place, options)
    options = with_columns(options, columns)
    wanted = {"--qids": options.qids, "--sensitive": options.sensitive}
    table = read_columns(options.place, wanted, options)
    with in_words_of_options():
        found = microleak.assess(table, options.qids, options.sensitive, "all")
    measures = found.collective
    facts = {qid: [qid] for qid in options.qids}
    yield (
        options.place.stem,
        ListedAnalysis(
            TableChunks(table),
            facts,
            options.sensitive,
            measures,
            options.person_id or "",
            limits,
        ),
    )


def _write_private(
    path: Path, header: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write rows to a file that its owner alone can open, and so its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o700)
    with whole_file(path) as aside:
        aside.touch(mode=0o600)
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, header, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
