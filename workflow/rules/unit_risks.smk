rule unit_risks:
    """Whose household or other unit is found, and what is learnt there."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        unit_risks="<results>/measures/unit_risks/{unit_risks}.csv",
        unit_inferences="<results>/measures/unit_inferences/{unit_risks}.csv",
    log:
        "<results>/logs/unit_risks/{unit_risks}.log",
    benchmark:
        "<results>/benchmarks/unit_risks/{unit_risks}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("unit_risks"),
    script:
        "../../scripts/unit_risks.py"
