rule risk_groups:
    """Success of the attacks on groups of the persons, for every QID subset."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        risk_groups="<results>/measures/risk_groups/{risk_groups}.csv",
    log:
        "<results>/logs/risk_groups/{risk_groups}.log",
    benchmark:
        "<results>/benchmarks/risk_groups/{risk_groups}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("risk_groups"),
    script:
        "../../scripts/risk_groups.py"
