# Needs: people/TABLE/RELEASE.parquet and people/TABLE/PROTECTION.parquet.
# Gives: measures/{known_protection,undone_cells}/ANALYSIS.csv.
rule known_protection:
    """What someone finds in a protected release who knows how it was protected."""
    input:
        unpack(needs("known_protection")),
    output:
        **makes("known_protection"),
    log:
        f"{OUT}/logs/known_protection/{{known_protection}}.log",
    benchmark:
        f"{OUT}/benchmarks/known_protection/{{known_protection}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("known_protection"),
        code=code_of("known_protection"),
    script:
        "../../scripts/known_protection.py"
