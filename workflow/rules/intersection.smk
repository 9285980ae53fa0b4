# Needs: people/TABLE/RELEASE.parquet of several releases.
# Gives: measures/intersection/ANALYSIS.csv.
rule intersection:
    """What independent releases tell together of who is in all of them."""
    input:
        unpack(needs("intersection")),
    output:
        **makes("intersection"),
    log:
        f"{OUT}/logs/intersection/{{intersection}}.log",
    benchmark:
        f"{OUT}/benchmarks/intersection/{{intersection}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("intersection"),
        code=code_of("intersection"),
    script:
        "../../scripts/intersection.py"
