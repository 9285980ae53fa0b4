# Needs: people/TABLE/RELEASE.parquet of an analysis's focal release.
# Gives: profiles/ANALYSIS.parquet and, from it alone, measures/*/ANALYSIS.*.
rule profile:
    """The block profile of every QID subset: the only heavy step."""
    input:
        people=people_of,
    output:
        f"{OUT}/profiles/{{analysis}}.parquet",
    log:
        f"{OUT}/logs/profile/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/profile/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=usual_mb(8000),
    params:
        analysis=analysis_of,
        is_synthetic=is_synthetic_analysis,
        code=fingerprint("microleak.study.profiling"),
    script:
        "../../scripts/profile.py"


rule measure:
    """Every measure of a collective analysis, exactly, from its profiles."""
    input:
        profiles=f"{OUT}/profiles/{{analysis}}.parquet",
    output:
        collective=f"{OUT}/measures/collective/{{analysis}}.csv",
        worst=f"{OUT}/measures/worst/{{analysis}}.csv",
        success=f"{OUT}/measures/success/{{analysis}}.parquet",
        distribution=f"{OUT}/measures/distribution/{{analysis}}.csv",
    log:
        f"{OUT}/logs/measure/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    params:
        analysis=analysis_of,
        is_synthetic=is_synthetic_analysis,
        code=fingerprint("microleak.study.measures", "microleak.study.tables"),
    script:
        "../../scripts/measure.py"
