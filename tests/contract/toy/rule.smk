# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/toy/ANALYSIS.csv.
rule toy:
    """Who is alone by one attribute."""
    input:
        unpack(needs("toy")),
    output:
        **makes("toy"),
    log:
        f"{OUT}/logs/toy/{{toy}}.log",
    benchmark:
        f"{OUT}/benchmarks/toy/{{toy}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        job=job_of("toy"),
        code=code_of("toy"),
    script:
        "../../scripts/toy.py"
