# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/{special_uniques,suda_scores,suda_attributes,suda_values}/ANALYSIS.csv.
rule special_uniques:
    """All minimal sample uniques of every record, and their scores."""
    input:
        unpack(needs("special_uniques")),
    output:
        **makes("special_uniques"),
    log:
        f"{OUT}/logs/special_uniques/{{special_uniques}}.log",
    benchmark:
        f"{OUT}/benchmarks/special_uniques/{{special_uniques}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("special_uniques"),
        code=code_of("special_uniques"),
    script:
        "../../scripts/special_uniques.py"
