people_if_not_published = of_job("table_rebuilding", "people")


rule table_rebuilding:
    """What tables of counts prove about the records that they were made of."""
    input:
        people=people_if_not_published,  # people/TABLE/RELEASE.parquet
    output:
        table_rebuilding="<results>/measures/table_rebuilding/{table_rebuilding}.csv",
        rebuilt_cells="<results>/measures/rebuilt_cells/{table_rebuilding}.csv",
        rebuilt_sizes="<results>/measures/rebuilt_sizes/{table_rebuilding}.csv",
        proofs="<results>/proofs/table_rebuilding/{table_rebuilding}.json",
    log:
        "<results>/logs/table_rebuilding/{table_rebuilding}.log",
    benchmark:
        "<results>/benchmarks/table_rebuilding/{table_rebuilding}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("table_rebuilding"),
    script:
        "../../scripts/table_rebuilding.py"
