"""What of a study is published: its tables, and what its report must know beside them.

Whom the report is for is asked here and nowhere else: figures, report and exports see
what is in `published/`, and neither the study file nor `measures/`.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from gettext import gettext as _
from pathlib import Path
from typing import Any

from microleak.base.files import whole_folder, write_text
from microleak.base.paths import RESULTS
from microleak.definitions.laplace import even_chance, written
from microleak.definitions.vectors import CUSTOMARY_EPSILON, Vector
from microleak.families import FAMILIES
from microleak.family import load
from microleak.step import Publication
from microleak.study.account import check_spent
from microleak.study.private_counts import (
    check_replaced,
    private_needs,
    private_tables,
    split_epsilon,
)
from microleak.study.tables import result_tables
from microleak.study_file.context import definition_of
from microleak.study_file.model import Study
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import write_table

_OF_STUDY = ("ingest", "removed")  # Tables of the releases, whatever is measured


def family_publications() -> dict[str, Publication]:
    """Return what each family publishes beside its tables, by its name."""
    return {f.name: load(f.publish) if f.publish else Publication() for f in FAMILIES}


def published_names(study: Study) -> tuple[str, ...]:
    if not study.shows_tables:
        return ()
    every = (spec for family in FAMILIES for spec in family.tables.values())
    shown = {spec.name for spec in every if spec.audience == "internal"}
    return (
        *(name for name in _analysis_tables(study) if name.partition("/")[0] in shown),
        *_OF_STUDY,
        *(["protections"] if study.protected else []),
        *(["tabulations"] if study.tabulations else []),
    )


def _analysis_tables(study: Study) -> Iterator[str]:
    for family in FAMILIES:
        for _rule, jobs in family.steps:
            for job in jobs(study):
                for path in job.outputs.values():
                    if path.startswith("measures/") and path.endswith(".csv"):
                        yield path.removeprefix("measures/").removesuffix(".csv")


def files_to_publish(study: Study) -> tuple[str, ...]:
    """Return all that is read to publish a study, as paths below its results."""
    if not study.shows_tables:
        return private_needs(study, *_noise_and_vectors(study))
    families = family_publications().values()
    tables = (f"measures/{name}.csv" for name in published_names(study))
    return (*tables, *(path for each in families for path in each.needs(study)))


def publish_study(study: Study, study_dir: Path) -> None:
    """Write `published/`: tables, and `published.json` with all else that is shown."""
    with whole_folder(study_dir / "published") as folder:
        names = [*_write_tables(study, study_dir, folder)]
        if not study.shows_tables:
            check_replaced(study_dir, folder)
        told = {**_public_facts(study), "tables": names}
        if study.shows_tables:
            told |= _internal_facts(study, study_dir)
        text = json.dumps(told, ensure_ascii=False, indent=2) + "\n"
        write_text(folder / "published.json", text)


def _write_tables(study: Study, study_dir: Path, folder: Path) -> Iterator[str]:
    for name in published_names(study):
        path = folder / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(study_dir / f"measures/{name}.csv", path)
        yield name
    if not study.shows_tables:
        for name, table in private_tables(study, *_noise_and_vectors(study), study_dir):
            spec = result_tables()[name.partition("/")[0]]
            write_table(folder / f"{name}.csv", table, spec)
            yield name


def said_of_page(study: Study) -> Iterator[str]:
    """Yield what a public page will tell of one person, and what it leaves out."""
    if study.noise is None:
        return
    noise, vectors = _noise_and_vectors(study)
    private_needs(study, noise, vectors)  # refuses what cannot be counted
    spent = {name: Fraction(epsilon) for name, epsilon in noise.spent.items()}
    check_spent(spent, RESULTS)
    epsilon = split_epsilon(study, noise, vectors)[0]
    total = epsilon + sum(spent.values())
    more = _(" ({total} with those under spent)").format(total=written(total))
    yield _(
        "epsilon of the public page is {epsilon}{more}: 50 chances in 100 that "
        "something is true of a person can become {high} at most"
    ).format(
        epsilon=written(epsilon),
        more=more if spent else "",
        high=even_chance(2 * total),
    )
    if total > CUSTOMARY_EPSILON:
        yield _(
            "warning: an epsilon above {most} keeps hardly anything from a reader "
            "(docs/public.md). Write a smaller epsilon or a larger within."
        ).format(most=CUSTOMARY_EPSILON)
    counted = {vector.analysis for vector in vectors}
    left_out = [
        f"{family} {name}"
        for family, analyses in study.analyses.items()
        for name in analyses
        if name not in counted
    ]
    if left_out:
        yield _("the public page leaves out: {names}").format(names=", ".join(left_out))


def _noise_and_vectors(study: Study) -> tuple[NoiseSection, list[Vector]]:
    assert study.noise is not None
    every = family_publications().values()
    return study.noise, [each for family in every for each in family.vectors(study)]


def _public_facts(study: Study) -> dict[str, Any]:
    is_synthetic = any(study.is_synthetic_release(*each) for each in study.used)
    return {
        "study": study.name,
        "audience": study.audience,
        "languages": study.languages,
        "synthetic": is_synthetic,
        "line_tables": sorted(_without_person_id(study)),
        "sources": {name: table.source for name, table in study.tables.items()},
    }


def _internal_facts(study: Study, study_dir: Path) -> Mapping[str, Any]:
    releases = {name: [*table.releases] for name, table in study.tables.items()}
    units = {
        name: {made: table.before_units(made) for made in table.units}
        for name, table in study.tables.items()
        if table.units
    }
    shown = (*study.used, *study.made)
    made = [pair for pair in shown if study.is_synthetic_release(*pair)]
    return {
        "file": study.file,
        "labels": study.labels,
        "releases": releases,
        "units": units,
        "synthetic_releases": made,
        "seeded": [
            name
            for table, name in study.protected
            if study.tables[table].protections[name].follows_from_seed
        ],
        "protected": _protected_analyses(study),
        "drawn": _drawn_anew(study),
        "pooled": [*_parts_of_made(study)],
        "families": {
            name: each.facts(study, study_dir)
            for name, each in family_publications().items()
        },
    }


def _parts_of_made(study: Study) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield pooled releases and those of units, and what each is made of."""
    for table, name in study.pooled:
        yield table, name, study.tables[table].pools[name].releases
    for table, name in study.of_units:
        yield table, name, [study.tables[table].units[name].release]


def _protected_analyses(study: Study) -> dict[str, dict[str, tuple[str, str]]]:
    """Return analyses of protected releases whose origin is read too, with both."""
    read = {need[:2] for each in study.every_analysis for need in study.needs_of(each)}
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for family, analyses in study.analyses.items():
        for name, analysis in analyses.items():
            for table, release, _names in study.needs_of(analysis)[:1]:
                chain = [each.release for each in study.tables[table].chain(release)]
                if made_of := [each for each in chain if (table, each) in read]:
                    found.setdefault(family, {})[name] = release, made_of[-1]
    return found


def _drawn_anew(study: Study) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what analyses use of values that were drawn anew, by family and name."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for family, analyses in study.analyses.items():
        for name, analysis in analyses.items():
            for table, release, names in study.needs_of(analysis):
                for method, attribute in study.tables[table].drawn_anew(release):
                    if attribute in names:
                        of_family = found.setdefault(family, {})
                        done = of_family.setdefault(name, {}).setdefault(release, {})
                        done.setdefault(method, []).append(attribute)
    return found


def _without_person_id(study: Study) -> Iterator[str]:
    """Yield the tables whose rows are lines, not persons."""
    for name, table in study.tables.items():
        if definition_of(table, next(iter(table.releases))).person_id is None:
            yield name
