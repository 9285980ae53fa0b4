rule toy:
    """How many values an attribute has."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        toy="<results>/measures/toy/{toy}.csv",
    log:
        "<results>/logs/toy/{toy}.log",
    benchmark:
        "<results>/benchmarks/toy/{toy}.tsv"
    conda:
        ENVIRONMENT
    params:
        **job_and_code("toy"),
    script:
        "../../scripts/toy.py"
