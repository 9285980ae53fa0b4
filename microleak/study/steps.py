"""The workflow's steps: what each rule makes, and of which rules' results."""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Step:
    """A rule of the workflow.

    Attributes
    ----------
    rule
        Its name.
    makes
        Patterns of its results below the study's folder; `*` stands for anything.
    needs
        Rules whose results it reads. What reads an archive alone needs none.
    """

    rule: str
    makes: tuple[str, ...]
    needs: tuple[str, ...] = ()


STEPS = (
    Step("ingest", ("tables/*",)),
    Step("deduplicate", ("people/*",), ("ingest",)),
    Step("join", ("panels/*",), ("deduplicate",)),
    Step(
        "count_rows",
        ("measures/ingest.csv", "measures/removed.csv"),
        ("ingest", "deduplicate"),
    ),
    Step("overlap", ("profiles/*/overlap.parquet",), ("deduplicate",)),
    Step("blocks", ("profiles/*/blocks.parquet",), ("deduplicate",)),
    Step("entities", ("profiles/*/entities.parquet",), ("ingest",)),
    Step("contingency", ("profiles/*/contingency.parquet",), ("deduplicate",)),
    Step("profile", ("profiles/*",), ("deduplicate", "join")),
    Step(
        "measure",
        tuple(
            f"measures/{table}/*"
            for table in ("collective", "worst", "success", "distribution")
        ),
        ("profile",),
    ),
    Step("importance", ("measures/importance/*",), ("measure",)),
    Step("gain", ("measures/gain/*",), ("measure",)),
    Step("groups", ("measures/groups/*",), ("profile",)),
    Step("entropy", ("measures/entropy/*",), ("deduplicate", "profile")),
    Step(
        "states",
        ("measures/states.csv", "measures/explained.csv"),
        ("count_rows", "measure", "entropy"),
    ),
    Step("compare", ("measures/comparison.csv",), ("measure",)),
    Step("target", ("confidential/targets/*",), ("deduplicate", "join")),
    Step(
        "membership",
        tuple(f"measures/{table}/*" for table in ("membership", "presence", "uniques")),
        ("overlap",),
    ),
    Step("member", ("confidential/membership/*",), ("deduplicate",)),
    Step(
        "anonymity",
        ("measures/anonymity/*", "measures/classes/*"),
        ("deduplicate", "overlap", "blocks", "entities"),
    ),
    Step(
        "mechanism",
        tuple(
            f"measures/{table}/*"
            for table in ("mechanism", "samples", "simulated", "pairs")
        ),
        ("contingency",),
    ),
    Step(
        "reconstruction",
        ("measures/reconstruction/*", "measures/bad_points/*"),
        ("deduplicate",),
    ),
    Step("draw", ("figures/*",), ("measure",)),
    Step(
        "report",
        ("report/*",),
        (
            *("join", "count_rows", "measure", "importance", "gain", "groups"),
            *("states", "compare", "membership", "anonymity", "mechanism"),
            *("reconstruction", "draw"),
        ),
    ),
    Step("audit", ("measures/csv-metadata.json", "ro-crate-metadata.json", "code/*")),
)
"""Every rule but those that fetch or make an archive, in the order data take."""


def step_of(path: str) -> Step | None:
    """Return the step that makes a result, the first whose pattern it has.

    >>> step_of("profiles/a/overlap.parquet").rule, step_of("profiles/a/1.parquet").rule
    ('overlap', 'profile')
    """
    return next(
        (s for s in STEPS if any(fnmatchcase(path, each) for each in s.makes)), None
    )
