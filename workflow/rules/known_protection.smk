people_before = of_job("known_protection", "before")


rule known_protection:
    """What someone finds in a protected release who knows how it was protected."""
    input:
        before=people_before,  # people/TABLE/RELEASE.parquet
        after=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        known_protection="<results>/measures/known_protection/{known_protection}.csv",
        undone_cells="<results>/measures/undone_cells/{known_protection}.csv",
    log:
        "<results>/logs/known_protection/{known_protection}.log",
    benchmark:
        "<results>/benchmarks/known_protection/{known_protection}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("known_protection"),
    script:
        "../../scripts/known_protection.py"
