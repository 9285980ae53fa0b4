results_to_publish = of_job("publish", "results")
figures_of_study = of_job("report", "figures")


rule publish:
    """All that figures, report and exports may see, as the report's audience may."""
    input:
        results=results_to_publish,  # measures/TABLE/ANALYSIS.csv, measures/TABLE.csv, panels/TABLE/FOCAL/AUX.json; of a public study people/TABLE/RELEASE.parquet, measures/success/ANALYSIS.parquet
        study=STUDY_FILE,
    output:
        published=shown(
            directory("<results>/published"),
            patterns=["{result}.csv"],
            category="Tables",
            labels={"table": "{result}"},
            caption="../report/tables.rst",
        ),
    log:
        "<results>/logs/publish.log",
    benchmark:
        "<results>/benchmarks/publish.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("publish"),
    script:
        "../../scripts/publish.py"


rule report:
    """Self-contained pages, and the tables that they show beside them."""
    input:
        published="<results>/published",
        figures=figures_of_study,  # figures/ANALYSIS
    output:
        report=report(
            directory("<results>/report"),
            htmlindex="index.html",
            category="Page",
            caption="../report/page.rst",
        ),
    log:
        "<results>/logs/report.log",
    benchmark:
        "<results>/benchmarks/report.tsv"
    conda:
        ENVIRONMENT
    threads: 2
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("report"),
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
        results=results_to_audit,  # results/STUDY but what the audit makes
        study=STUDY_FILE,
    output:
        manifest="<results>/manifest.json",
        described="<results>/measures/csv-metadata.json",
        crate="<results>/ro-crate-metadata.json",
    log:
        "<results>/logs/audit.log",
    benchmark:
        "<results>/benchmarks/audit.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=240),
    params:
        code=lambda _: code_of("audit"),
    script:
        "../../scripts/audit.py"
