# Needs: people/TABLE/FOCAL.parquet, profiles/ANALYSIS/FOCAL.parquet and, of releases
# that are of a state, measures/worst/ANALYSIS.csv and measures/success/ANALYSIS.parquet.
# Gives: measures/entropy/ANALYSIS.csv, and of the states of each analysis side by side
# measures/states.csv and measures/explained.csv.


rule entropy:
    """How evenly QIDs and sensitive attributes divide the records."""
    input:
        unpack(needs("entropy")),
    output:
        **makes("entropy"),
    log:
        f"{OUT}/logs/entropy/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/entropy/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        job=job_of("entropy"),
        code=code_of("entropy"),
    script:
        "../../scripts/entropy.py"


rule states:
    """The states of each year side by side, with what may explain their leakage."""
    input:
        unpack(needs("states")),
    output:
        **makes("states"),
    log:
        f"{OUT}/logs/states.log",
    benchmark:
        f"{OUT}/benchmarks/states.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("states"),
        code=code_of("states"),
    script:
        "../../scripts/states.py"
