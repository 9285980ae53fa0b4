# Needs: nothing but published tables, or people/TABLE/RELEASE.parquet.
# Gives: measures/{table_rebuilding,rebuilt_cells,rebuilt_sizes}/ANALYSIS.csv and proofs.
rule table_rebuilding:
    """What tables of counts prove about the records that they were made of."""
    input:
        unpack(needs("table_rebuilding")),
    output:
        **makes("table_rebuilding"),
    log:
        f"{OUT}/logs/table_rebuilding/{{table_rebuilding}}.log",
    benchmark:
        f"{OUT}/benchmarks/table_rebuilding/{{table_rebuilding}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("table_rebuilding"),
        code=code_of("table_rebuilding"),
    script:
        "../../scripts/table_rebuilding.py"
