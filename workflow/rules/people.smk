# Needs: tables/TABLE/RELEASE.parquet.
# Gives: people/TABLE/RELEASE.parquet, one record a person, and all row counts;
# panels/TABLE/FOCAL/AUX.parquet, what another release says of these persons.
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
        mem_mb=memory(6000),
        runtime=minutes(120),
    params:
        seed=STUDY.seed,
        code=fingerprint("microleak.sources.deduplicate"),
    script:
        "../../scripts/deduplicate.py"


rule join:
    """What an auxiliary release says of each person of the focal one."""
    input:
        focal=f"{OUT}/people/{{table}}/{{focal}}.parquet",
        auxiliary=f"{OUT}/people/{{table}}/{{auxiliary}}.parquet",
        receipt=f"{OUT}/people/{{table}}/{{focal}}.json",
    output:
        panel=f"{OUT}/panels/{{table}}/{{focal}}/{{auxiliary}}.parquet",
        receipt=f"{OUT}/panels/{{table}}/{{focal}}/{{auxiliary}}.json",
    log:
        f"{OUT}/logs/join/{{table}}/{{focal}}/{{auxiliary}}.log",
    benchmark:
        f"{OUT}/benchmarks/join/{{table}}/{{focal}}/{{auxiliary}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(120),
    params:
        code=fingerprint("microleak.sources.join"),
    script:
        "../../scripts/join.py"


rule count_rows:
    """Rows read, refused, kept and dropped, and why any were removed."""
    input:
        every_release("tables/{table}/{release}.json"),
        every_release("people/{table}/{release}.json"),
    output:
        ingest=f"{OUT}/measures/ingest.csv",
        removed=f"{OUT}/measures/removed.csv",
    log:
        f"{OUT}/logs/count_rows.log",
    benchmark:
        f"{OUT}/benchmarks/count_rows.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        releases=[(t, r, STUDY.is_synthetic_release(t, r)) for t, r in STUDY.used],
        code=fingerprint(
            "microleak.study.ingest_table",
            "microleak.study.removed",
            "microleak.study.tables",
        ),
    script:
        "../../scripts/count_rows.py"
