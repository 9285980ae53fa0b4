"""Steps of the anonymity family, and their jobs."""

from collections.abc import Iterator
from typing import Any

from microleak.attacks.anonymity.section import Anonymity
from microleak.overlap import OVERLAP, overlap_cost, overlap_job
from microleak.step import Costs, Job, Step, measures_paths, people
from microleak.study_file.model import Study

_OF, _FILES = "microleak.attacks.anonymity", "microleak.tables.files"

BLOCKS, ENTITIES = (
    Step(
        name,
        {"profile": f"profiles/{{anonymity}}/{name}.parquet"},
        (f"{_OF}.{name}",),
        is_told_memory=True,
    )
    for name in ("blocks", "entities")
)
ANONYMITY = Step(
    "anonymity",
    measures_paths("anonymity", "classes", of="anonymity"),
    (f"{_OF}.measure", _FILES),
    is_told_memory=True,
)
UNIQUENESS = Step(
    "uniqueness",
    measures_paths("uniqueness", of="anonymity"),
    (f"{_OF}.uniqueness", _FILES),
    is_told_memory=True,
)


def _overlaps(study: Study) -> Iterator[Job]:
    for analysis in study.analyses["anonymity"].values():
        if compared := analysis.compared:
            yield overlap_job(compared, study.is_synthetic_analysis(compared))


def _blocks_of(analysis: Anonymity) -> dict[str, Any]:
    """Return what of an analysis its blocks depend on."""
    others = ("crosswalk", "entity", "population", "n_population", "weight")
    without = dict.fromkeys(others) | {"margins": (), "published": None}
    return analysis.model_copy(update=without).model_dump()


def _blocks(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["anonymity"].items():
        settings = {
            "analysis": _blocks_of(analysis),
            "is_synthetic": study.is_synthetic_release(analysis.table, analysis.focal),
        }
        inputs = {"people": people(analysis.table, analysis.focal)}
        yield BLOCKS.job({"anonymity": name}, inputs, settings)


def _entities(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["anonymity"].items():
        if analysis.entity is None:
            continue
        of_entities = {"entity": analysis.entity, "sensitive": (), "order": {}}
        table, focal = analysis.table, analysis.focal
        settings = {
            "analysis": _blocks_of(analysis) | of_entities,
            "is_synthetic": study.is_synthetic_release(table, focal),
        }
        inputs = {"table": f"tables/{table}/{focal}.parquet"}
        yield ENTITIES.job({"anonymity": name}, inputs, settings)


def _anonymities(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["anonymity"].items():
        made = {"entities": analysis.entity, "overlap": analysis.population}
        profiles = ["blocks", *(profile for profile in made if made[profile])]
        inputs = {
            "people": people(analysis.table, analysis.focal),
            **{profile: f"profiles/{name}/{profile}.parquet" for profile in profiles},
        }
        settings = {"analysis": analysis.model_dump()}
        yield ANONYMITY.job({"anonymity": name}, inputs, settings)


def _uniqueness(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["anonymity"].items():
        if analysis.is_estimated:
            others: dict[str, Any] = {
                "sensitive": (),
                "order": {},
                "wanted": "full",
                "entity": None,
            }
            settings = {"analysis": analysis.model_copy(update=others).model_dump()}
            inputs = {"people": people(analysis.table, analysis.focal)}
            yield UNIQUENESS.job({"anonymity": name}, inputs, settings)


STEPS = (
    (OVERLAP, _overlaps),
    (BLOCKS, _blocks),
    (ENTITIES, _entities),
    (ANONYMITY, _anonymities),
    (UNIQUENESS, _uniqueness),
)


def costs(study: Study) -> Iterator[Costs]:
    for name, analysis in study.analyses["anonymity"].items():
        if analysis.compared:
            yield overlap_cost(analysis.compared)
        n_subsets = {f"profiles/{name}/blocks.parquet": len(analysis.subsets)}
        yield Costs(name, n_subsets, ((analysis.table, analysis.focal),))
