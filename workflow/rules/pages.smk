# Needs: measures/*, panels/TABLE/FOCAL/AUX.json.
# Gives: published, report, measures/csv-metadata.json, manifest.json with
# ro-crate-metadata.json and code.


rule publish:
    """All that figures, report and exports may see, as the report's audience may."""
    input:
        unpack(needs("publish")),
    output:
        published=shown(
            makes("publish")["published"],
            patterns=["{result}.csv"],
            category="Tables",
            labels={"table": "{result}"},
            caption="../report/tables.rst",
        ),
    log:
        f"{OUT}/logs/publish.log",
    benchmark:
        f"{OUT}/benchmarks/publish.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        job=job_of("publish"),
        code=code_of("publish"),
    script:
        "../../scripts/publish.py"


rule report:
    """Self-contained pages, and the tables that they show beside them."""
    input:
        unpack(needs("report")),
    output:
        report=report(
            makes("report")["report"],
            htmlindex="index.html",
            category="Page",
            caption="../report/page.rst",
        ),
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
        job=job_of("report"),
        code=code_of("report"),
    script:
        "../../scripts/report.py"


rule audit:
    """SHA-256 of every input and output, with versions, settings and code.

    Beside the manifest stand a crate, `ro-crate-metadata.json`, and in `code/` the
    workflow that it describes. First the results of analyses and releases that the
    study file does not name any more are removed, so that its results do not depend
    on earlier runs. Results without a record, or that differ from it, are refused.
    """
    input:
        # A function's paths, some with names of targets, are not in Snakemake's report.
        lambda _: [timed("audit")(path) for path in every_result(OF_AUDIT)],
        study=timed("audit")(str(STUDY_FILE)),
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
        code=code_of("audit"),
    script:
        "../../scripts/audit.py"
