"""The workflow's steps: what each rule makes, of which results, by which code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property

from microleak.paths import ROOT
from microleak.study.fingerprint import fingerprint

_PAGES = ("microleak/report/templates/*", "microleak/report/texts/*/*")
_TABLES = "microleak.study.tables"
_READING = "microleak.figures.tables"


@dataclass(frozen=True)
class Step:
    """A rule of the workflow.

    Attributes
    ----------
    rule
        Its name.
    makes
        Pattern of each result below the study's folder, with wildcards in braces,
        by the result's name. That of a folder ends with `/`.
    needs
        Rules whose results it reads. What reads an archive alone needs none.
    modules, data
        What the rule's code is: modules with all that they import, and patterns of
        other files.
    script
        Its script's name, if that is not the rule's.
    """

    rule: str
    makes: Mapping[str, str]
    needs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    script: str = ""

    @cached_property
    def code(self) -> str:
        """Fingerprint of its script, of its modules and of its other files."""
        script = ROOT / "scripts" / f"{self.script or self.rule}.py"
        data = [file for each in self.data for file in sorted(ROOT.glob(each))]
        return fingerprint(*self.modules, files=[script, *data])

    @cached_property
    def globs(self) -> tuple[str, ...]:
        """Patterns of the files that it makes; `*` stands for anything."""
        return tuple(
            re.sub("{[a-z]+}", "*", f"{pattern}*" if pattern.endswith("/") else pattern)
            for pattern in self.makes.values()
        )


def _measures(*tables: str, of: str) -> dict[str, str]:
    """Return the patterns of tables that one job writes, by their names."""
    return {table: f"measures/{table}/{{{of}}}.csv" for table in tables}


STEPS = (
    Step(
        "download",
        {"archive": "raw/url/{table}/{release}"},
        modules=("microleak.sources.fetch",),
    ),
    Step(
        "collect",
        {"complete": "raw/url/{table}/{release}/complete.txt"},
        modules=("microleak.sources.collect",),
    ),
    Step(
        "synthesise",
        {"archive": "raw/synthetic/{table}/{release}"},
        modules=("microleak.study.synthesis",),
        data=("microleak/sources/twin/*.yaml",),
    ),
    Step(
        "ingest",
        {
            "table": "tables/{table}/{release}.parquet",
            "receipt": "tables/{table}/{release}.json",
        },
        modules=("microleak.sources.ingest",),
    ),
    Step(
        "deduplicate",
        {
            "people": "people/{table}/{release}.parquet",
            "receipt": "people/{table}/{release}.json",
        },
        ("ingest",),
        ("microleak.sources.deduplicate",),
    ),
    Step(
        "join",
        {
            "panel": "panels/{table}/{focal}/{auxiliary}.parquet",
            "receipt": "panels/{table}/{focal}/{auxiliary}.json",
        },
        ("deduplicate",),
        ("microleak.sources.join",),
    ),
    Step(
        "count_rows",
        {"ingest": "measures/ingest.csv", "removed": "measures/removed.csv"},
        ("ingest", "deduplicate"),
        ("microleak.study.ingest_table", "microleak.study.removed", _TABLES),
    ),
    Step(
        "overlap",
        {"profile": "profiles/{compared}/overlap.parquet"},
        ("deduplicate",),
        ("microleak.study.overlap_profiling",),
    ),
    Step(
        "blocks",
        {"profile": "profiles/{anonymity}/blocks.parquet"},
        ("deduplicate",),
        ("microleak.study.anonymity_profiling",),
    ),
    Step(
        "entities",
        {"profile": "profiles/{anonymity}/entities.parquet"},
        ("ingest",),
        ("microleak.study.entity_profiling",),
    ),
    Step(
        "contingency",
        {"profile": "profiles/{mechanism}/contingency.parquet"},
        ("deduplicate",),
        ("microleak.study.contingency",),
    ),
    Step(
        "profile",
        {"profile": "profiles/{analysis}/{panel}.parquet"},
        ("deduplicate", "join"),
        ("microleak.study.profiling",),
    ),
    Step(
        "measure",
        {
            **_measures("collective", "values", "worst", "distribution", of="analysis"),
            "success": "measures/success/{analysis}.parquet",
        },
        ("profile",),
        ("microleak.study.measures", "microleak.study.groups", _TABLES),
    ),
    Step(
        "importance",
        _measures("importance", of="analysis"),
        ("measure",),
        ("microleak.study.importance", _TABLES, _READING),
    ),
    Step(
        "gain",
        _measures("gain", of="analysis"),
        ("measure",),
        ("microleak.study.gain", _TABLES, _READING),
    ),
    Step(
        "groups",
        _measures("groups", of="analysis"),
        ("profile",),
        ("microleak.study.groups", _TABLES),
    ),
    Step(
        "entropy",
        _measures("entropy", of="analysis"),
        ("deduplicate", "profile"),
        ("microleak.study.entropy", _TABLES),
    ),
    Step(
        "states",
        {"states": "measures/states.csv", "explained": "measures/explained.csv"},
        ("count_rows", "measure", "entropy"),
        ("microleak.study.states", "microleak.study.explained", _TABLES, _READING),
    ),
    Step(
        "compare",
        {"comparison": "measures/comparison.csv"},
        ("measure",),
        ("microleak.study.comparison", _TABLES, _READING),
    ),
    Step(
        "target",
        {
            "target": "confidential/targets/{target}.csv",
            "further": "confidential/targets/{target}-further.csv",
        },
        ("deduplicate", "join"),
        ("microleak.study.config", "microleak.study.target", _TABLES),
        script="attack_target",
    ),
    Step(
        "membership",
        _measures("membership", "presence", "uniques", of="membership"),
        ("overlap",),
        ("microleak.study.membership", _TABLES),
    ),
    Step(
        "member",
        {"member": "confidential/membership/{member}.csv"},
        ("deduplicate",),
        ("microleak.study.config", "microleak.study.member", _TABLES),
        script="attack_member",
    ),
    Step(
        "anonymity",
        _measures("anonymity", "classes", of="anonymity"),
        ("deduplicate", "overlap", "blocks", "entities"),
        ("microleak.study.anonymity", _TABLES),
    ),
    Step(
        "mechanism",
        _measures("mechanism", "samples", "simulated", "pairs", of="mechanism"),
        ("contingency",),
        ("microleak.study.mechanism", _TABLES),
    ),
    Step(
        "reconstruction",
        _measures("reconstruction", "bad_points", of="reconstruction"),
        ("deduplicate",),
        ("microleak.study.reconstruction", _TABLES),
    ),
    Step(
        "draw",
        {"figures": "figures/{analysis}/"},
        ("measure",),
        ("microleak.study.pages",),
        _PAGES,
    ),
    Step(
        "report",
        {"report": "report/"},
        (
            *("join", "count_rows", "measure", "importance", "gain", "groups"),
            *("states", "compare", "membership", "anonymity", "mechanism"),
            *("reconstruction", "draw"),
        ),
        ("microleak.study.pages",),
        _PAGES,
    ),
    Step(
        "audit",
        {
            "described": "measures/csv-metadata.json",
            "crate": "ro-crate-metadata.json",
            "code": "code/",
        },
        modules=(
            "microleak.study.manifest",
            "microleak.study.csv_metadata",
            "microleak.study.outputs",
        ),
        data=("Snakefile", "scripts/*.py", "workflow/rules/*.smk"),
    ),
)
"""Every rule, in the order data take."""


@cache
def steps() -> dict[str, Step]:
    """Return the steps by their rules."""
    return {step.rule: step for step in STEPS}


def step_of(path: str) -> Step | None:
    """Return the step that makes a result, the first whose pattern it has.

    >>> step_of("profiles/a/overlap.parquet").rule, step_of("profiles/a/1.parquet").rule
    ('overlap', 'profile')
    """
    return next(
        (s for s in STEPS if any(fnmatchcase(path, each) for each in s.globs)), None
    )
