# Needs: people/TABLE/RELEASE.parquet.
# Gives: profiles/ANALYSIS/contingency.parquet of mechanism analyses and, from it
# alone, measures/{mechanism,samples,simulated,pairs}/ANALYSIS.csv.
rule contingency:
    """How many records have each pair of values."""
    input:
        lambda w: people_of(STUDY.mechanism[w.mechanism].counted),
    output:
        f"{OUT}/profiles/{{mechanism}}/contingency.parquet",
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
        counted=lambda w: asdict(STUDY.mechanism[w.mechanism].counted),
        is_synthetic=lambda w: STUDY.is_synthetic_analysis(STUDY.mechanism[w.mechanism]),
        code=fingerprint("microleak.study.contingency"),
    script:
        "../../scripts/contingency.py"


rule mechanism:
    """Privacy loss and utility of noisy counts, from the counts of pairs."""
    input:
        f"{OUT}/profiles/{{mechanism}}/contingency.parquet",
    output:
        mechanism=f"{OUT}/measures/mechanism/{{mechanism}}.csv",
        samples=f"{OUT}/measures/samples/{{mechanism}}.csv",
        simulated=f"{OUT}/measures/simulated/{{mechanism}}.csv",
        pairs=f"{OUT}/measures/pairs/{{mechanism}}.csv",
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
        analysis=lambda w: asdict(STUDY.mechanism[w.mechanism]),
        seed=STUDY.seed,
        code=fingerprint("microleak.study.mechanism", "microleak.study.tables"),
    script:
        "../../scripts/mechanism.py"
