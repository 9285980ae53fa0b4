# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/rough_knowledge/ANALYSIS.csv.
rule rough_knowledge:
    """Success of the attacks where QIDs are known only roughly, by Bayes."""
    input:
        unpack(needs("rough_knowledge")),
    output:
        **makes("rough_knowledge"),
    log:
        f"{OUT}/logs/rough_knowledge/{{rough_knowledge}}.log",
    benchmark:
        f"{OUT}/benchmarks/rough_knowledge/{{rough_knowledge}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("rough_knowledge"),
        code=code_of("rough_knowledge"),
    script:
        "../../scripts/rough_knowledge.py"
