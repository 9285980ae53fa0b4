people_of_databases = of_job("reconstruction", "people")


rule reconstruction:
    """How far databases are rebuilt from noisy counts of their subsets."""
    input:
        people=people_of_databases,  # people/TABLE/RELEASE.parquet, where they are of a release
    output:
        reconstruction="<results>/measures/reconstruction/{reconstruction}.csv",
        bad_points="<results>/measures/bad_points/{reconstruction}.csv",
    log:
        "<results>/logs/reconstruction/{reconstruction}.log",
    benchmark:
        "<results>/benchmarks/reconstruction/{reconstruction}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("reconstruction"),
    script:
        "../../scripts/reconstruction.py"
