# Needs: nothing, or people/TABLE/RELEASE.parquet of databases of a release.
# Gives: measures/{reconstruction,bad_points}/ANALYSIS.csv of reconstruction analyses.
rule reconstruction:
    """How far databases are rebuilt from noisy counts of their subsets."""
    input:
        unpack(needs("reconstruction")),
    output:
        **makes("reconstruction"),
    log:
        f"{OUT}/logs/reconstruction/{{reconstruction}}.log",
    benchmark:
        f"{OUT}/benchmarks/reconstruction/{{reconstruction}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("reconstruction"),
        code=code_of("reconstruction"),
    script:
        "../../scripts/reconstruction.py"
