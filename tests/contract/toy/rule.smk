rule toy:
    """Who is alone by one attribute."""
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
    resources:
        **up_to(mb=2000, minutes=60),
    params:
        **job_and_code("toy"),
    script:
        "../../scripts/toy.py"
