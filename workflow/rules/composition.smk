# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/composition/ANALYSIS.csv.
rule composition:
    """What several noisy counts with one budget leak together."""
    input:
        unpack(needs("composition")),
    output:
        **makes("composition"),
    log:
        f"{OUT}/logs/composition/{{composition}}.log",
    benchmark:
        f"{OUT}/benchmarks/composition/{{composition}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000),
        runtime=minutes(120),
    params:
        job=job_of("composition"),
        code=code_of("composition"),
    script:
        "../../scripts/composition.py"
