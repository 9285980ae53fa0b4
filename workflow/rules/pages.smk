# Needs: measures/*, panels/TABLE/FOCAL/AUX.json.
# Gives: figures/ANALYSIS, report, measures/csv-metadata.json, manifest.json with
# ro-crate-metadata.json and code.
from microleak.study.workflow_code import workflow_files

PAGES = fingerprint(
    "microleak.study.pages",
    files=sorted(
        path
        for folder in ("templates", "texts")
        for path in (ROOT / "microleak/report" / folder).rglob("*.*")
    ),
)
LINKS = sorted(
    {
        f"{OUT}/panels/{analysis.table}/{analysis.focal}/{auxiliary}.json"
        for analysis in STUDY.collective.values()
        for auxiliary in analysis.auxiliary
    }
)
GROUPS = [
    f"{OUT}/measures/groups/{analysis.name}.csv"
    for analysis in STUDY.collective.values()
    if analysis.groups
]


rule draw:
    """The figures of an analysis, in every language of the report."""
    input:
        collective=f"{OUT}/measures/collective/{{analysis}}.csv",
        worst=f"{OUT}/measures/worst/{{analysis}}.csv",
        distribution=f"{OUT}/measures/distribution/{{analysis}}.csv",
    output:
        directory(f"{OUT}/figures/{{analysis}}"),
    log:
        f"{OUT}/logs/draw/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/draw/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        study=STUDY_FILE,
        languages=STUDY.languages,
        audience=STUDY.audience,
        is_synthetic=is_synthetic_analysis,
        code=PAGES,
    script:
        "../../scripts/draw.py"


rule report:
    """Self-contained pages, and the tables that they show beside them."""
    input:
        every_analysis("measures/collective/{analysis}.csv"),
        every_analysis("measures/worst/{analysis}.csv"),
        every_analysis("measures/distribution/{analysis}.csv"),
        every_analysis("measures/importance/{analysis}.csv"),
        every_analysis("figures/{analysis}"),
        GAINS,
        LINKS,
        GROUPS,
        [f"{OUT}/measures/{table}/{name}.csv" for table, name in STUDY.family_tables],
        f"{OUT}/measures/comparison.csv",
        f"{OUT}/measures/states.csv",
        f"{OUT}/measures/explained.csv",
        f"{OUT}/measures/ingest.csv",
        f"{OUT}/measures/removed.csv",
        study=STUDY_FILE,
    output:
        directory(f"{OUT}/report"),
    log:
        f"{OUT}/logs/report.log",
    benchmark:
        f"{OUT}/benchmarks/report.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        code=PAGES,
    script:
        "../../scripts/report.py"


rule audit:
    """SHA-256 of every input and output, with versions, settings and code.

    Beside the manifest stand a crate, `ro-crate-metadata.json`, and in `code/` the
    workflow that it describes. First the results of analyses and releases that the
    study file does not name any more are removed, so that its results do not depend
    on earlier runs.
    """
    input:
        every_result(besides={"measures/csv-metadata.json", "ro-crate-metadata.json"}),
        study=STUDY_FILE,
    output:
        manifest=f"{OUT}/manifest.json",
        described=f"{OUT}/measures/csv-metadata.json",
        crate=f"{OUT}/ro-crate-metadata.json",
    log:
        f"{OUT}/logs/audit.log",
    benchmark:
        f"{OUT}/benchmarks/audit.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(240),
    params:
        versions=versions(),
        code=fingerprint(
            "microleak.study.manifest",
            "microleak.study.csv_metadata",
            "microleak.study.outputs",
            files=workflow_files(),
        ),
    script:
        "../../scripts/audit.py"
