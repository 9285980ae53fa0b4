people_of_releases = of_job("intersection", "releases")


rule intersection:
    """What independent releases tell together of who is in all of them."""
    input:
        releases=people_of_releases,  # people/TABLE/RELEASE.parquet, one a release
    output:
        intersection="<results>/measures/intersection/{intersection}.csv",
    log:
        "<results>/logs/intersection/{intersection}.log",
    benchmark:
        "<results>/benchmarks/intersection/{intersection}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("intersection"),
    script:
        "../../scripts/intersection.py"
