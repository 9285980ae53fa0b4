# Needs: people/TABLE/RELEASE.parquet of two releases.
# Gives: measures/{linkage,linkage_bins,linked_success}/ANALYSIS.csv.
rule linkage:
    """Links of persons in two releases without an identifier."""
    input:
        unpack(needs("linkage")),
    output:
        **makes("linkage"),
    log:
        f"{OUT}/logs/linkage/{{linkage}}.log",
    benchmark:
        f"{OUT}/benchmarks/linkage/{{linkage}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("linkage"),
        code=code_of("linkage"),
    script:
        "../../scripts/linkage.py"
