rule composition:
    """What several noisy counts with one budget leak together."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        composition="<results>/measures/composition/{composition}.csv",
    log:
        "<results>/logs/composition/{composition}.log",
    benchmark:
        "<results>/benchmarks/composition/{composition}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=2000, minutes=120),
    params:
        **job_and_code("composition"),
    script:
        "../../scripts/composition.py"
