"""What commands take that do not run a study, and words of `protect`."""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable
from gettext import gettext as _
from importlib import import_module
from pathlib import Path
from typing import Any

import microleak
from microleak.base.errors import StudyError, TableError, count_of, did_you_mean
from microleak.base.machine import without_collection
from microleak.base.paths import DEFAULT_STUDY
from microleak.base.progress import told_by


def loaded_command(module: str, name: str) -> Callable[..., int]:
    def command(options: argparse.Namespace, words: list[str]) -> int:
        with without_collection():
            run = getattr(import_module(f"microleak.cli.{module}"), name)
        return int(run(options, words))

    return command


def check_folder_is_there(folder: Path) -> None:
    """Refuse a study's results that are not there, with the nearest beside them."""
    if folder.is_file():
        said = _("{file} is a file. Name its folder: {folder}")
        raise StudyError(said, file=folder, folder=folder.parent)
    if not folder.is_dir():
        beside = [path.name for path in folder.parent.glob("*/")]
        like = did_you_mean(folder.name, beside)
        said = _("There is no folder {folder} of results.").format(folder=folder)
        raise StudyError(f"{said}{like}")


def add_written(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--delimiter",
        help="between columns, a character or tab (default: as line 1 has it)",
    )
    encodings = "utf-8, latin-1 or cp1252 (default: as the file seems to be)"
    sub.add_argument("--encoding", help=encodings)
    sheet = "sheet to read of a workbook that has several with tables"
    sub.add_argument("--sheet", metavar="NAME", help=sheet)


def add_reading(sub: argparse.ArgumentParser) -> None:
    add_written(sub)
    missing = "comma-separated texts for a missing value, besides an empty one"
    sub.add_argument("--missing", default=(), type=names_by_commas, help=missing)
    person = "column that tells persons apart; one that has two records is refused"
    sub.add_argument("--person-id", metavar="NAME", help=person)


def add_form(sub: argparse.ArgumentParser) -> None:
    form = "table (default), for people, or csv, with all columns, for programs"
    sub.add_argument("--format", choices=("table", "csv"), default="table", help=form)


def names_by_commas(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def add_assess(sub: argparse.ArgumentParser) -> None:
    file = "file with a table, as init takes it, one record a person"
    sub.add_argument("file", type=Path, help=file)
    qids = "comma-separated columns (default: finds the sets that identify most)"
    sub.add_argument("--qids", type=names_by_commas, help=qids)
    sub.add_argument(
        "--sensitive", default=(), type=names_by_commas, help="comma-separated columns"
    )
    sizes = (
        "comma-separated numbers of QIDs known together "
        "(default: all; 1,2,3 without --qids)"
    )
    sub.add_argument("--sizes", type=_sizes_by_commas, metavar="N,…", help=sizes)
    counts = (
        "published counts of the population, a CSV file of columns of FILE and count: "
        "says who is alone there, too"
    )
    sub.add_argument("--population", type=Path, metavar="COUNTS", help=counts)
    add_reading(sub)
    add_form(sub)
    sub.set_defaults(command=_assess_file)


def _sizes_by_commas(text: str) -> dict[str, list[int]]:
    return {"sizes": [int(size) for size in names_by_commas(text)]}


def positive_number(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def print_line(said: str) -> None:
    print(f"microleak: {said}", file=sys.stderr)


def _assess_file(options: argparse.Namespace, words: list[str]) -> int:
    if options.population and options.format == "csv":
        said = _("--population is told in words alone. Leave out --format csv.")
        raise StudyError(said)
    files = import_module("microleak.cli.files")
    columns = files.columns_of(options.file, options)
    options = files.with_columns(options, columns)
    wanted = {"--qids": options.qids or (), "--sensitive": options.sensitive}
    if options.qids is None:
        # Two without a name are refused where they are read.
        is_alone = columns.count("") == 1
        wanted["FILE"] = [name for name in columns if name or not is_alone]
        if is_alone:
            said = _("column {n} is left out: it has no name")
            print_line(said.format(n=columns.index("") + 1))
        is_split = any(mark in name for name in columns for mark in ",;|\t")
        if len(columns) == 1 and is_split:
            delimiter = files.csv_form_given(options.file, options).get(
                "delimiter", ","
            )
            said = _(
                "{file}: line 1, split at {delimiter}, has only one column. Correct "
                "--delimiter, or name it with --qids."
            )
            raise TableError(said, file=options.file, delimiter=repr(delimiter))
    with told_by(print_line):
        table = files.read_columns(options.file, wanted, options)
        if options.qids is None and options.person_id:
            table = table.drop_columns(options.person_id)
        with files.in_words_of_options():
            found = microleak.assess(
                table, options.qids, options.sensitive, options.sizes or "all"
            )
            counted = options.population and files.counted_by(options, table)
    if options.qids is None:
        left_out = found.attributes[found.attributes["role"] != "qid"]
        for name, role in zip(left_out["attribute"], left_out["role"], strict=True):
            said = _("left out {name}: {role}")
            alone = _("a different value in (nearly) every record")
            why = alone if role == "identifier" else _(role)
            print_line(said.format(name=name, role=why))
    table = "collective" if options.qids else "proposed"
    shown = import_module("microleak.cli.shown")
    shown.print_assessed(found, table, options.format)
    if counted:
        shown.print_counted(*counted, options.population)
    return 0


def add_export(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("folder", type=Path, help="results/STUDY")
    form = "comma-separated: csv (for spreadsheets), json, latex, parquet, xlsx"
    sub.add_argument("--format", required=True, type=names_by_commas, help=form)
    locale = (
        "how csv writes numbers: pt-BR with ; between columns and a decimal comma, en "
        "with , and a point (default: as in the first language of the report)"
    )
    sub.add_argument("--locale", metavar="pt-BR|en", help=locale)
    to = "folder in which each format has its own (default: results/STUDY-export)"
    sub.add_argument("--to", type=Path, metavar="FOLDER", help=to)
    sub.set_defaults(command=_export_tables, wordless=sub.prog)


def _export_tables(options: argparse.Namespace, _words: list[str]) -> int:
    check_folder_is_there(options.folder)
    export = import_module("microleak.exports.export").export
    name = f"{options.folder.resolve().name}-export"
    to = options.to or options.folder.parent / name
    for folder in export(options.folder, to, options.format, options.locale):
        print(folder)
    return 0


def add_key(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", type=Path, help="file to write, not below results/")
    sub.set_defaults(command=_write_key, wordless=sub.prog)


def _write_key(options: argparse.Namespace, _words: list[str]) -> int:
    import_module("microleak.study_file.keys").make_key(options.file)
    said = _(
        "{file} is a new key. Keep it apart from what is published, and back it up: "
        "without it what is made with it cannot be made again."
    )
    print(said.format(file=options.file))
    return 0


def add_ripd(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("folder", type=Path, help="results/STUDY")
    to = "folder of the documents (default: results/STUDY/ripd)"
    sub.add_argument(*("-o", "--to"), type=Path, metavar="FOLDER", help=to)
    sub.set_defaults(command=_write_impact_report, wordless=sub.prog)


def _write_impact_report(options: argparse.Namespace, _words: list[str]) -> int:
    check_folder_is_there(options.folder)
    ripd = import_module("microleak.ripd.write")
    to = options.to or options.folder / ripd.FOLDER
    # It is a Brazilian form, whatever language commands speak when none is asked for.
    for file in ripd.write_ripd(options.folder, to, options.asked or "pt"):
        print(file)
    return 0


def add_protect(sub: argparse.ArgumentParser) -> None:
    recipe = "name of a protected release, as it stands under protections"
    sub.add_argument("--recipe", required=True, metavar="NAME", help=recipe)
    to = "file to write, which ends in .csv, .csv.gz, .txt or .parquet"
    sub.add_argument(*("-o", "--to"), required=True, type=Path, metavar="FILE", help=to)


def add_target(sub: argparse.ArgumentParser) -> None:
    place = (
        "file with a table, as init takes it, one record a person; or results/STUDY of "
        "a study"
    )
    sub.add_argument("place", metavar="FILE", type=Path, help=place)
    known = (
        "what is known: @FILE, a file with one NAME=value a line, or - for such lines "
        "on the standard input, neither of which others can see; or NAME=value,..., "
        "which stands in the list of processes and in the shell's history. There a "
        "value is all up to the next ,NAME=. An empty value is a missing one; in a "
        "study another release's is RELEASE.NAME. May be given several times"
    )
    sub.add_argument(
        "--known",
        required=True,
        action="append",
        metavar="@FILE|-|NAME=VALUE,…",
        help=known,
    )
    sub.add_argument(
        "--sensitive", default=(), type=names_by_commas, help="comma-separated columns"
    )
    further = "comma-separated columns that might be learned next"
    sub.add_argument("--further", default=(), type=names_by_commas, help=further)
    sub.add_argument("--table", help="table of the study")
    sub.add_argument("--focal", help="release of the study that is attacked")
    add_reading(sub)
    add_form(sub)
    # argparse would show words that it does not know.
    attack = loaded_command("attack", "print_attack")
    sub.set_defaults(command=attack, hides_words=True)


def add_verify(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("folder", type=Path, help="results/STUDY")
    inputs = "hash the archives, too, and compare them with the receipts"
    sub.add_argument("--inputs", action="store_true", help=inputs)
    rerun = (
        "recompute parts in a folder of their own and compare, comma-separated: an "
        "analysis, TABLE/RELEASE or report; words after -- go to Snakemake"
    )
    sub.add_argument(
        "--rerun", default=(), type=names_by_commas, metavar="PART,…", help=rerun
    )
    config = "study file (default: the one of that name in this folder or in config/)"
    sub.add_argument("--config", type=Path, help=config)
    public = (
        "check from report/ alone that a public report has counts with noise and "
        "nothing else, whose epsilons add up; FOLDER may be the report itself"
    )
    sub.add_argument("--public", action="store_true", help=public)
    sub.set_defaults(command=_verify_results)


def add_check(sub: argparse.ArgumentParser) -> None:
    place = "results/STUDY, or a file with a table, one record a person"
    sub.add_argument("place", type=Path, metavar="FOLDER|FILE", help=place)
    policy = "YAML file of limits (docs/check.md)"
    sub.add_argument("--policy", type=Path, required=True, help=policy)
    qids = "comma-separated columns of FILE (default: the policy's facts, or all)"
    sub.add_argument("--qids", default=(), type=names_by_commas, help=qids)
    add_reading(sub)
    before = "results of an earlier release, to say which numbers became worse"
    sub.add_argument("--before", type=Path, metavar="FOLDER", help=before)
    github = "print workflow commands, too, that mark the lines of the policy"
    sub.add_argument("--github", action="store_true", help=github)
    sub.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit file")
    result = "where the result is written as JSON (default: FOLDER.check.json)"
    sub.add_argument("--result", type=Path, metavar="FILE", help=result)
    sub.set_defaults(command=loaded_command("check", "check_policy"), wordless="check")


def add_risks(sub: argparse.ArgumentParser) -> None:
    place = "results/STUDY, or a file with a table, as init takes it"
    sub.add_argument("place", type=Path, metavar="FOLDER|FILE", help=place)
    policy = "YAML file of limits (docs/check.md), to say which a record breaks"
    sub.add_argument("--policy", type=Path, help=policy)
    analysis = "comma-separated collective analyses of the study (default: all)"
    sub.add_argument("--analysis", default=(), type=names_by_commas, help=analysis)
    most = "records at most, the worst (default: 1000)"
    sub.add_argument(
        "--most", type=positive_number, default=1000, metavar="N", help=most
    )
    to = "folder below which confidential/risks/ is written (default: FOLDER, or here)"
    sub.add_argument("--to", type=Path, metavar="FOLDER", help=to)
    of_file = "comma-separated columns of FILE"
    sub.add_argument("--qids", default=(), type=names_by_commas, help=of_file)
    sub.add_argument("--sensitive", default=(), type=names_by_commas, help=of_file)
    add_reading(sub)
    sub.set_defaults(command=loaded_command("risks", "list_risks"), wordless="risks")


def _verify_results(options: argparse.Namespace, words: list[str]) -> int:
    check_folder_is_there(options.folder)
    name = "check_public_report" if options.public else "verify_results"
    return loaded_command("verification", name)(options, words)


VARIABLE = "MICROLEAK_STORE"
NONE = "none"
_DEFAULT = "results/.store"
_HELP = (
    "folder of intermediates that studies share, or none (default: that which "
    f"{VARIABLE} names, else {_DEFAULT})"
)


def add_store_option(sub: argparse.ArgumentParser) -> None:
    default = os.environ.get(VARIABLE) or _DEFAULT
    sub.add_argument("--store", metavar="FOLDER", default=default, help=_HELP)


def store_of(options: argparse.Namespace) -> Any:
    if options.store == NONE:
        return None
    if not options.store:
        raise StudyError("--store is empty. Name a folder, or none.")
    return import_module("microleak.run.store").Store(Path(options.store))


def add_store(sub: argparse.ArgumentParser) -> None:
    actions = {"list": "say what is in it", "gc": "remove what no study uses"}
    told = "; ".join(f"{name}: {text}" for name, text in actions.items())
    sub.add_argument("action", choices=[*actions], help=told)
    add_store_option(sub)
    sub.set_defaults(command=_store_command)


def _store_command(options: argparse.Namespace, words: list[str]) -> int:
    store = store_of(options)
    if store is None:
        raise StudyError(f"There is no store {options.store}. Correct --store.")
    store.check()
    if options.action == "list":
        for line in store.lines():
            print(line)
        return 0
    n_removed, n_bytes = store.remove_unused()
    print(f"Removed what {count_of(n_removed, 'step')} had made: {n_bytes:,} bytes.")
    return 0


def write_demonstration() -> Path:
    """Write the study file of the demonstration to this folder, unless it is here."""
    study = Path(DEFAULT_STUDY.name)
    if not study.exists():
        shutil.copyfile(DEFAULT_STUDY, study)
    elif study.read_bytes() != DEFAULT_STUDY.read_bytes():
        said = _(
            "{study} is here already and is not the demonstration's. Work in another "
            "folder, or run it with microleak run {study}."
        )
        raise StudyError(said, study=study)
    return study


def add_init(sub: argparse.ArgumentParser) -> None:
    file = (
        "file with a table: CSV, xlsx, ods, Parquet, SPSS, Stata or SAS; or a zip of "
        "one"
    )
    sub.add_argument("file", type=Path, help=file)
    to = "study file to write (default: the name of FILE with .yaml, here)"
    sub.add_argument("--to", type=Path, metavar="STUDY", help=to)
    add_written(sub)
    sub.set_defaults(command=_begin_study, wordless=sub.prog)


def _begin_study(options: argparse.Namespace, _words: list[str]) -> int:
    given = (options.to or options.file).name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9]+", "-", given).strip("-") or _("study")
    to = options.to or Path(f"{name}.yaml")
    if to.exists():
        said = _("{file} is here already. Name another file with {option}.")
        raise StudyError(said, file=to, option="--to")
    first_study = import_module("microleak.cli.first_study")
    with told_by(print_line):
        text = first_study.study_text(options.file, name, to, options)
    import_module("microleak.base.files").write_text(to, text)
    try:
        import_module("microleak.study.load").load_study(to)
    except BaseException:
        to.unlink()
        raise
    written = _("{file} is written. Look through it, and then:").format(file=to)
    print_line(f"{written}\nmicroleak run {to}")
    return 0


OTHERS = (
    ("init", add_init, "look at a CSV and write a study file for it"),
    ("verify", add_verify, "check that results match their manifest"),
    ("assess", add_assess, "measure one file with a table"),
    ("check", add_check, "try the limits of a policy on a finished study or a file"),
    (
        "risks",
        add_risks,
        "list the records most at risk, for the office alone: confidential/risks/",
    ),
    ("export", add_export, "write a report's tables for other programs"),
    (
        "ripd",
        add_ripd,
        "write the impact report on the protection of personal data (RIPD) of a "
        "finished study, in Portuguese or by --lang en",
    ),
    ("target", add_target, "attack one person, of a CSV file or a finished study"),
    ("key", add_key, "make a key for noise or for what a protection draws"),
    ("store", add_store, "look at what studies share, or tidy it up"),
)
"""Commands that run no study: name, what adds their options, and what they do."""
