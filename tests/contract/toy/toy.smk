# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/toy/ANALYSIS.csv.
rule toy:
    """How many values an attribute has."""
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
    params:
        job=job_of("toy"),
        code=code_of("toy"),
    script:
        "../../scripts/toy.py"
