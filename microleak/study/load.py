"""Reading a study file as one model: checked, and with defaults filled in."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, create_model

from microleak.base.errors import StudyError, count_of, refused_in
from microleak.base.paths import DEFAULT_STUDY, SCHEMA
from microleak.families import FAMILIES
from microleak.family import load, steps_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.fetch.attempts import refuse_login
from microleak.sources.files.identity import is_marked
from microleak.sources.twin import twin_size
from microleak.study_file import faults
from microleak.study_file.context import Context
from microleak.study_file.keys import check_key
from microleak.study_file.model import Release, Study, Table
from microleak.study_file.noise import NoiseSection
from microleak.study_file.recipes import (
    checked_tabulations,
    known_files,
    with_pools,
    with_protections,
    with_units,
)
from microleak.study_file.ripd import check_ripd
from microleak.study_file.schema import plain_schema, schema_file
from microleak.study_file.section import QID_SETS, Section
from microleak.study_file.shell import ReleaseSection, Shell, TableSection
from microleak.study_file.yaml import read_yaml


def study_file_of(files: Sequence[str | Path], values: Collection[str]) -> Path:
    """Return the study file that Snakemake is given, or the default one."""
    if values:
        raise StudyError(
            f"--config sets {', '.join(values)}, and a study is read from its file "
            "alone, which its records vouch for. Write it into a copy of the study "
            "file, under another name in study, and give that as --configfile."
        )
    if len(files) > 1:
        names = ", ".join(map(str, files))
        raise StudyError(
            f"--configfile names {count_of(len(files), 'file')}, {names}, and a study "
            "is one file. Put them together in one, and give that."
        )
    return Path(files[0]) if files else DEFAULT_STUDY


def study_file_of_module(config: Mapping[str, Any]) -> Path:
    """Return the study file that another workflow names for its module."""
    named = config.get("study_file")
    if not named:
        raise StudyError(
            "The module microleak is not told which study to run. Write config: "
            '{"study_file": "study.yaml"} into its module statement, with the path of '
            "a study file."
        )
    if not Path(named).is_file():
        raise StudyError(
            f"There is no file {named}, which study_file in the config of the module "
            "microleak names. Correct the path, seen from the folder where Snakemake "
            "works."
        )
    return Path(named)


def check_not_moved(path: str, moved: str) -> None:
    """Refuse another place for results than that of records and manifest."""
    if moved != path:
        raise StudyError(
            f"{path} would be moved to {moved}: prefix, replace_prefix and pathvars "
            "of a module statement, and a default storage provider, are not possible "
            "with microleak. Leave them out; run Snakemake in the folder where "
            "results/ should be."
        )


@cache
def study_model() -> type[BaseModel]:
    """Return the model of a study file, put together from the families' sections."""
    sections: dict[str, Any] = {}
    for family in FAMILIES:
        section: Any = load(family.section).SECTION
        described = Field(default=(), description=section.__doc__)
        sections[family.name] = tuple[section, ...], described
    analyses = create_model("Analyses", __base__=Section, **sections)
    modules = (load(family.section) for family in FAMILIES)
    further = (each.FURTHER for each in modules if hasattr(each, "FURTHER"))
    what = Field(description="What is measured.")
    return create_model(
        "StudyFile", __base__=(Shell, *further), analyses=(analyses, what)
    )


@cache
def study_schema() -> dict[str, Any]:
    """Return the JSON schema of study files, as `config/schema.yaml` has it."""
    return plain_schema(study_model())


def check_content(content: object, path: Path) -> Any:
    """Return a study file by its sections, with defaults filled in."""
    sets = content.get(QID_SETS) if isinstance(content, dict) else None
    context = {QID_SETS: sets if isinstance(sets, dict) else {}}
    try:
        return study_model().model_validate(content, context=context)
    except ValidationError as error:
        said = faults.fault_sentence(error, study_schema(), content)
    raise StudyError(f"{path}: {said}")


def load_study(path: Path) -> Study:
    file = check_content(read_yaml(path), path)
    tables = {name: _table_of(name, part, path) for name, part in file.tables.items()}
    tables = with_protections(Context(path, file, tables))
    tables = with_pools(Context(path, file, tables))
    tables = with_units(Context(path, file, tables))
    context = Context(path, file, tables)
    analyses = _checked_analyses(context)
    check_ripd(context)
    return Study(
        name=file.study,
        seed=file.seed,
        tables=tables,
        analyses=analyses,
        languages=file.report.languages,
        audience=file.report.audience,
        noise=_checked_noise(context),
        labels=file.report.model_dump(exclude_none=True)["labels"],
        shared={
            key: read(context, getattr(file, key))
            for family in FAMILIES
            for key, read in getattr(load(family.section), "SHARED", {}).items()
        },
        file=path.name,
        hierarchies=file.hierarchies,
        tabulations=checked_tabulations(context, _tabulations_named(analyses)),
    )


def _checked_noise(context: Context) -> NoiseSection | None:
    """Return the noise of a public report; its key and its account are checked."""
    noise: NoiseSection | None = context.file.report.noise
    if noise:
        where = f"{context.path}: report.noise"
        check_key(Path(noise.key), where, known_files(context))
        if context.file.study in noise.spent:
            raise StudyError(
                f"{where}: spent has {context.file.study}, which is this study. Give "
                "study another name for each publication."
            )
    return noise


def _tabulations_named(analyses: Mapping[str, Any]) -> set[str]:
    every = (each for by_name in analyses.values() for each in by_name.values())
    return {name for each in every for name in getattr(each, "tabulations", ())}


def _checked_analyses(context: Context) -> dict[str, Any]:
    for name, sections in context.file.analyses:
        _check_names([section.name for section in sections], name, context.path)
    for family in FAMILIES:
        sections = getattr(context.file.analyses, family.name)
        context.earlier[family.name] = _read(load(family.section), context, sections)
    by_name = {n: {a.name: a for a in each} for n, each in context.earlier.items()}
    if not any(by_name.values()):
        raise StudyError(
            f"{context.path}: analyses has none, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    names = {
        family.name: {
            each
            for analysis in by_name[family.name].values()
            for each in (analysis.name, getattr(analysis, "part_of", ""))
            if each
        }
        for family in FAMILIES
        if any("measures/" in p for s in steps_of(family) for p in s.makes.values())
    }
    _check_shared(names, context.path)
    return by_name


def _read(module: Any, context: Context, sections: Sequence[Any]) -> list[Any]:
    """Return the analyses of a family, checked all together or one by one."""
    if hasattr(module, "read"):
        every: list[Any] = module.read(context, sections)
        return every
    read_one = getattr(module, "read_one", _as_needed)
    return [read_one(context, each) for each in sections]


def _as_needed(context: Context, section: Any) -> Any:
    """Return an analysis, checked, whose releases have what it needs of them."""
    where = context.where(section)
    section.checked(where)
    for table, release, attributes in section.needs:
        context.release(table, release, where).check((), attributes)
    return section


def _check_names(names: Sequence[str], kind: str, path: Path) -> None:
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: analyses.{kind} has two analyses named {name!r}. "
                "Rename one of them."
            )


def _check_shared(names: Mapping[str, Collection[str]], path: Path) -> None:
    """Refuse analyses of two kinds whose results would lie in one folder."""
    for one, other in combinations(names, 2):
        for name in sorted(set(names[one]) & set(names[other])):
            raise StudyError(
                f"{path}: analyses.{one} and analyses.{other} both have an analysis "
                f"named {name!r}. Rename one of them."
            )


def _table_of(name: str, section: TableSection, path: Path) -> Table:
    options = section.options.as_given() if section.options else {}
    releases = {
        release: _release_of(
            release, part, section, options, f"{path}: {name} {release}"
        )
        for release, part in section.releases.items()
    }
    return Table(name, section.source, options, section.max_refused, releases)


def _release_of(
    name: str,
    section: ReleaseSection,
    table: TableSection,
    options: Mapping[str, Any],
    where: str,
) -> Release:
    if section.url:
        with refused_in(where):
            refuse_login(section.url)
    twin, size = section.synthetic, None
    if twin is not None:
        size = twin_size(table.source, name, twin.as_given(), where)
    archive, has_marks = section.archive, False
    if archive is not None and Path(archive).exists():
        definition = source_definition(table.source, name, options)
        has_marks = is_marked(Path(archive), definition)
    return Release(
        name=name,
        archive=archive,
        is_marked=has_marks,
        url=section.url,
        twin_size=size,
        sha256=section.sha256 and section.sha256.lower(),
        n_rows=section.n_rows,
    )


if __name__ == "__main__":
    SCHEMA.write_text(schema_file(study_schema()), encoding="utf-8")  # make docs
