# Needs: measures/collective/ANALYSIS.csv.
# Gives: measures/gain/ANALYSIS.csv of every analysis that links releases, and
# measures/comparison.csv, the releases of each table side by side.


rule gain:
    """What each further release that is linked adds to the success."""
    input:
        unpack(needs("gain")),
    output:
        **makes("gain"),
    log:
        f"{OUT}/logs/gain/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/gain/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("gain"),
        code=code_of("gain"),
    script:
        "../../scripts/gain.py"


rule compare:
    """The same attacks on successive releases of a table, side by side."""
    input:
        unpack(needs("compare")),
    output:
        **makes("compare"),
    log:
        f"{OUT}/logs/compare.log",
    benchmark:
        f"{OUT}/benchmarks/compare.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("compare"),
        code=code_of("compare"),
    script:
        "../../scripts/compare.py"
