# Needs: tables/TABLE/RELEASE.parquet.
# Gives: people/TABLE/RELEASE.parquet, one record a person, and all row counts.
rule deduplicate:
    """One record a person, chosen by a keyed hash, and how many were dropped."""
    input:
        table=f"{OUT}/tables/{{table}}/{{release}}.parquet",
        receipt=f"{OUT}/tables/{{table}}/{{release}}.json",
    output:
        people=f"{OUT}/people/{{table}}/{{release}}.parquet",
        receipt=f"{OUT}/people/{{table}}/{{release}}.json",
    log:
        f"{OUT}/logs/deduplicate/{{table}}/{{release}}.log",
    benchmark:
        f"{OUT}/benchmarks/deduplicate/{{table}}/{{release}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=usual_mb(6000),
    params:
        seed=STUDY.seed,
        code=fingerprint("microleak.sources.deduplicate"),
    script:
        "../../scripts/deduplicate.py"


rule count_rows:
    """Rows read, refused, kept and dropped, one line a release."""
    input:
        every_release("tables/{table}/{release}.json"),
        every_release("people/{table}/{release}.json"),
    output:
        f"{OUT}/measures/ingest.csv",
    log:
        f"{OUT}/logs/count_rows.log",
    conda:
        ENVIRONMENT
    params:
        releases=[(t, r, STUDY.is_synthetic_release(t, r)) for t, r in STUDY.used],
        code=fingerprint("microleak.study.ingest_table", "microleak.study.tables"),
    script:
        "../../scripts/count_rows.py"
