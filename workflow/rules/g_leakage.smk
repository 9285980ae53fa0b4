rule g_leakage:
    """What the best guess gains by a gain function, for every QID subset."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        g_leakage="<results>/measures/g_leakage/{g_leakage}.csv",
    log:
        "<results>/logs/g_leakage/{g_leakage}.log",
    benchmark:
        "<results>/benchmarks/g_leakage/{g_leakage}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("g_leakage"),
    script:
        "../../scripts/g_leakage.py"
