people_counted = of_job("contingency", "people")


rule contingency:
    """How many records have each pair of values."""
    input:
        people=people_counted,  # people/TABLE/RELEASE.parquet
    output:
        profile="<results>/profiles/{mechanism}/contingency.parquet",
    log:
        "<results>/logs/contingency/{mechanism}.log",
    benchmark:
        "<results>/benchmarks/contingency/{mechanism}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=120),
    params:
        **job_and_code("contingency"),
    script:
        "../../scripts/contingency.py"


rule mechanism:
    """Privacy loss and utility of noisy counts, from the counts of pairs."""
    input:
        profile="<results>/profiles/{mechanism}/contingency.parquet",
    output:
        mechanism="<results>/measures/mechanism/{mechanism}.csv",
        samples="<results>/measures/samples/{mechanism}.csv",
        simulated="<results>/measures/simulated/{mechanism}.csv",
        pairs="<results>/measures/pairs/{mechanism}.csv",
    log:
        "<results>/logs/mechanism/{mechanism}.log",
    benchmark:
        "<results>/benchmarks/mechanism/{mechanism}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=4000, minutes=240),
    params:
        **job_and_code("mechanism"),
    script:
        "../../scripts/mechanism.py"
