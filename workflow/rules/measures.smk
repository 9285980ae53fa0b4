# Needs: people/TABLE/FOCAL.parquet, and panels/TABLE/FOCAL/AUX.parquet of every
# auxiliary release.
# Gives: profiles/ANALYSIS/PANEL.parquet, one a prefix of the auxiliary releases,
# and, from these alone, measures/*/ANALYSIS.*.
rule profile:
    """The block profile of every QID subset: the only heavy step."""
    input:
        releases=releases_of,
    output:
        f"{OUT}/profiles/{{analysis}}/{{panel}}.parquet",
    log:
        f"{OUT}/logs/profile/{{analysis}}/{{panel}}.log",
    benchmark:
        f"{OUT}/benchmarks/profile/{{analysis}}/{{panel}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=prefix_of,
        is_synthetic=is_synthetic_analysis,
        code=fingerprint("microleak.study.profiling"),
    script:
        "../../scripts/profile.py"


rule measure:
    """Every measure of a collective analysis, exactly, from its profiles."""
    input:
        profiles=profiles_of,
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
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        analysis=analysis_of,
        is_synthetic=is_synthetic_analysis,
        code=fingerprint("microleak.study.measures", "microleak.study.tables"),
    script:
        "../../scripts/measure.py"


rule importance:
    """What each attribute brings to the success of an analysis."""
    input:
        f"{OUT}/measures/collective/{{analysis}}.csv",
    output:
        f"{OUT}/measures/importance/{{analysis}}.csv",
    log:
        f"{OUT}/logs/importance/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/importance/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        code=fingerprint(
            "microleak.study.importance",
            "microleak.study.tables",
            "microleak.figures.tables",
        ),
    script:
        "../../scripts/importance.py"


rule groups:
    """What an adversary infers of the groups of an analysis, from its profiles."""
    input:
        profiles_of,
    output:
        f"{OUT}/measures/groups/{{analysis}}.csv",
    log:
        f"{OUT}/logs/groups/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/groups/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        analysis=analysis_of,
        code=fingerprint("microleak.study.groups", "microleak.study.tables"),
    script:
        "../../scripts/groups.py"
