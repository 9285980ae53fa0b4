# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/risk_groups/ANALYSIS.csv.
rule risk_groups:
    """Success of the attacks on groups of the persons, for every QID subset."""
    input:
        unpack(needs("risk_groups")),
    output:
        **makes("risk_groups"),
    log:
        f"{OUT}/logs/risk_groups/{{risk_groups}}.log",
    benchmark:
        f"{OUT}/benchmarks/risk_groups/{{risk_groups}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("risk_groups"),
        code=code_of("risk_groups"),
    script:
        "../../scripts/risk_groups.py"
