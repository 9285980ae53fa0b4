# Needs: people/TABLE/RELEASE.parquet.
# Gives: profiles/ANALYSIS/contingency.parquet of mechanism analyses and, from it
# alone, measures/{mechanism,samples,simulated,pairs}/ANALYSIS.csv.
rule contingency:
    """How many records have each pair of values."""
    input:
        unpack(needs("contingency")),
    output:
        **makes("contingency"),
    log:
        f"{OUT}/logs/contingency/{{mechanism}}.log",
    benchmark:
        f"{OUT}/benchmarks/contingency/{{mechanism}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
    params:
        job=job_of("contingency"),
        code=code_of("contingency"),
    script:
        "../../scripts/contingency.py"


rule mechanism:
    """Privacy loss and utility of noisy counts, from the counts of pairs."""
    input:
        unpack(needs("mechanism")),
    output:
        **makes("mechanism"),
    log:
        f"{OUT}/logs/mechanism/{{mechanism}}.log",
    benchmark:
        f"{OUT}/benchmarks/mechanism/{{mechanism}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
    params:
        job=job_of("mechanism"),
        code=code_of("mechanism"),
    script:
        "../../scripts/mechanism.py"
