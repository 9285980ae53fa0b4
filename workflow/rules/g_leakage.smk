# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/g_leakage/ANALYSIS.csv.
rule g_leakage:
    """What the best guess gains by a gain function, for every QID subset."""
    input:
        unpack(needs("g_leakage")),
    output:
        **makes("g_leakage"),
    log:
        f"{OUT}/logs/g_leakage/{{g_leakage}}.log",
    benchmark:
        f"{OUT}/benchmarks/g_leakage/{{g_leakage}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("g_leakage"),
        code=code_of("g_leakage"),
    script:
        "../../scripts/g_leakage.py"
