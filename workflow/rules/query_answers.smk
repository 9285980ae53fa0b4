# Needs: nothing but published statistics, or people/TABLE/RELEASE.parquet.
# Gives: measures/{query_answers,answered_values,audited_queries}/ANALYSIS.csv and proofs.
rule query_answers:
    """What answers to queries give away of the values that they are of."""
    input:
        unpack(needs("query_answers")),
    output:
        **makes("query_answers"),
    log:
        f"{OUT}/logs/query_answers/{{query_answers}}.log",
    benchmark:
        f"{OUT}/benchmarks/query_answers/{{query_answers}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
    params:
        job=job_of("query_answers"),
        code=code_of("query_answers"),
    script:
        "../../scripts/query_answers.py"
