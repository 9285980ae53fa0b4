"""The families as they lie in today's folders; `families.FAMILIES` will say it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.attacks.collective.analysis import Collective
from microleak.attacks.mechanism.analysis import Mechanism
from microleak.attacks.reconstruction.analysis import Reconstruction
from microleak.base.paths import ROOT
from microleak.records.compared import Compared


@dataclass(frozen=True)
class Family:
    """A kind of analyses.

    Attributes
    ----------
    name
        Its key below `analyses` of a study file.
    workflow
        Its files in workflow/rules.
    rules
        Its steps. Two families share `overlap`, and the file of their sections.
    tables
        What it writes below measures/, a folder an analysis or a file a study.
    files
        Patterns of its own files below microleak/, without what others share.
    measured
        The rule that has all of an analysis among its settings. None of targets has:
        what is known of them is no setting, their job reads the study file.
    decoded
        An analysis from these settings.
    """

    name: str
    workflow: tuple[str, ...]
    rules: tuple[str, ...]
    tables: tuple[str, ...]
    files: tuple[str, ...]
    measured: str = ""
    decoded: Callable[[dict[str, Any]], Any] | None = None

    @property
    def own_files(self):
        """Its modules, as paths below the project."""
        paths = (path.relative_to(ROOT).as_posix() for path in MODULES)
        return [
            path
            for path in paths
            if any(fnmatchcase(path, f"microleak/{pattern}") for pattern in self.files)
        ]


MODULES = sorted((ROOT / "microleak").rglob("*.py"))

FAMILIES = (
    Family(
        "collective",
        ("measures", "states", "comparison"),
        (
            *("profile", "measure", "importance", "groups", "entropy", "states"),
            *("gain", "compare"),
        ),
        (
            *("collective", "values", "worst", "distribution", "importance"),
            *("gain", "groups"),
            *("entropy", "comparison", "states", "explained"),
        ),
        (
            *("attacks/attribute_inference.py", "attacks/reidentification.py"),
            *("attacks/correlation.py", "attacks/group_inference.py"),
            *("attacks/importance.py", "study/comparison.py", "study/entropy.py"),
            *("study/explained.py", "study/focal_releases.py", "study/gain.py"),
            *("study/groups*.py", "study/importance.py", "study/measures.py"),
            *("study/profiling.py", "study/states.py", "figures/explained.py"),
            *("figures/importance.py", "figures/posteriors.py", "figures/states.py"),
            *("figures/success.py", "figures/trends.py", "figures/years.py"),
            *("report/comparison.py", "report/groups.py", "report/importance.py"),
            *("report/state*.py", "report/years.py"),
        ),
        measured="measure",
        decoded=Collective.of,
    ),
    Family(
        "targets",
        ("targets",),
        ("target",),
        (),
        ("attacks/target.py", "study/target.py"),
    ),
    Family(
        "membership",
        ("samples",),
        ("overlap", "membership", "member"),
        ("membership", "presence", "uniques"),
        (
            *("attacks/membership.py", "attacks/collective_membership.py"),
            *("attacks/presence.py", "study/membership.py", "study/member.py"),
            *("study/members_given.py", "study/samples*.py"),
            "study/published_persons.py",
            *("study/published_samples.py", "figures/membership*.py"),
            "report/membership*.py",
        ),
        measured="membership",
        decoded=Compared.of,
    ),
    Family(
        "anonymity",
        ("anonymity",),
        ("blocks", "entities", "anonymity", "overlap"),
        ("anonymity", "classes"),
        (
            *("attacks/distances.py", "attacks/diversity.py", "attacks/entities.py"),
            *("attacks/individual_risk.py", "attacks/k_*.py"),
            *("attacks/poisson_gamma.py", "attacks/population_uniqueness.py"),
            *("attacks/value_histogram.py", "study/anonymity*.py", "study/classes.py"),
            *("study/entity_*.py", "study/far_values.py", "study/samples*.py"),
            *("study/sensitive_values.py", "study/published_anonymity.py"),
            *("study/published_classes.py", "study/published_estimates.py"),
            *("figures/anonymity*.py", "report/anonymity*.py"),
        ),
        measured="anonymity",
        decoded=Anonymity.of,
    ),
    Family(
        "mechanism",
        ("mechanism",),
        ("contingency", "mechanism"),
        ("mechanism", "samples", "simulated", "pairs"),
        (
            *("attacks/attack_context.py", "attacks/count_leakage.py"),
            *("attacks/dependence.py", "attacks/*_mechanism.py"),
            *("attacks/mechanism*.py", "attacks/noise_sampling.py"),
            *("attacks/simulation.py", "attacks/sub_samples.py", "study/mechanism*.py"),
            *("study/contingency*.py", "study/count_*.py", "study/pair_*.py"),
            *("study/sample_measures.py", "study/simulated_measures.py"),
            *("study/useful_values.py", "study/published_mechanism.py"),
            *("meanings/mechanism.py", "figures/mechanism*.py", "report/mechanism*.py"),
        ),
        measured="mechanism",
        decoded=Mechanism.of,
    ),
    Family(
        "reconstruction",
        ("reconstruction",),
        ("reconstruction",),
        ("reconstruction", "bad_points"),
        (
            *("attacks/bad_points.py", "attacks/certificate.py"),
            *("attacks/determined_entries.py", "attacks/*_reconstruction.py"),
            *("attacks/least_squares.py", "attacks/noise_bounds.py"),
            *("attacks/noise_laws.py", "attacks/public_answers.py"),
            *("attacks/reconstruction_*.py", "attacks/subset_queries.py"),
            *("study/reconstruction*.py", "study/published_reconstruction.py"),
            *("meanings/reconstruction.py", "figures/reconstruction*.py"),
            "report/reconstruction*.py",
        ),
        measured="reconstruction",
        decoded=Reconstruction.of,
    ),
)

CORE_RULES = (
    *(
        "download",
        "collect",
        "synthesise",
        "ingest",
        "deduplicate",
        "join",
        "count_rows",
    ),
    *("draw", "report", "audit"),
)
"""Steps of no family."""

PAGE_RULES = ("draw", "report", "audit")
"""What every family's files may rerun: its part of the page, and the manifest."""


def same_fields(one, other):
    """Whether two objects have equal values of all fields of the first.

    A membership analysis has targets too, which no job is told of.
    """
    names = [field.name for field in fields(one)]
    return all(getattr(one, name) == getattr(other, name) for name in names)
