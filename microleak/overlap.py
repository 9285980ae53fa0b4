"""A population and a sample, compared once for all families that read both."""

from dataclasses import asdict

from microleak.records.compared import Compared, crosswalk_between
from microleak.step import Costs, Job, Paths, Step, people

OVERLAP = Step(
    "overlap",
    {"profile": "profiles/{compared}/overlap.parquet"},
    ("microleak.records.overlap_profile",),
    is_told_memory=True,
)
"""How many records of each share a block, as several families read it."""


def overlap_job(compared: Compared, is_synthetic: bool) -> Job:
    """Return the job that compares a sample with its population."""
    settings = {
        "analysis": asdict(compared),
        "is_synthetic": is_synthetic,
        "crosswalk": repr(crosswalk_between(compared)),
    }
    return OVERLAP.job({"compared": compared.name}, people_of_both(compared), settings)


def overlap_cost(compared: Compared) -> Costs:
    """Return what the profile of a sample and its population is of."""
    n_subsets = {f"profiles/{compared.name}/overlap.parquet": len(compared.subsets)}
    releases = tuple((table, release) for table, release, _ in compared.needs)
    return Costs(compared.name, n_subsets, releases)


def people_of_both(compared: Compared) -> dict[str, Paths]:
    """Return where the people of a population and of a sample are."""
    population, sample = compared.population, compared.sample
    return {
        "population": people(population.table, population.release),
        "sample": people(sample.table, sample.release),
    }
