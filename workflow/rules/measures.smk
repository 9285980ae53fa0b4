# Needs: people/TABLE/FOCAL.parquet, and panels/TABLE/FOCAL/AUX.parquet of every
# auxiliary release.
# Gives: profiles/ANALYSIS/PANEL.parquet, one a prefix of the auxiliary releases,
# and, from these alone, measures/*/ANALYSIS.*.
rule profile:
    """The block profile of every QID subset: the only heavy step."""
    input:
        unpack(needs("profile")),
    output:
        **makes("profile"),
    log:
        f"{OUT}/logs/profile/{{collective}}/{{panel}}.log",
    benchmark:
        f"{OUT}/benchmarks/profile/{{collective}}/{{panel}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("profile"),
        code=code_of("profile"),
    script:
        "../../scripts/profile.py"


rule measure:
    """Every measure of a collective analysis, exactly, from its profiles."""
    input:
        unpack(needs("measure")),
    output:
        **makes("measure"),
    log:
        f"{OUT}/logs/measure/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        job=job_of("measure"),
        code=code_of("measure"),
    script:
        "../../scripts/measure.py"


rule importance:
    """What each attribute brings to the success of an analysis."""
    input:
        unpack(needs("importance")),
    output:
        **makes("importance"),
    log:
        f"{OUT}/logs/importance/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/importance/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("importance"),
        code=code_of("importance"),
    script:
        "../../scripts/importance.py"


rule groups:
    """What an adversary infers of the groups of an analysis, from its profiles."""
    input:
        unpack(needs("groups")),
    output:
        **makes("groups"),
    log:
        f"{OUT}/logs/groups/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/groups/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("groups"),
        code=code_of("groups"),
    script:
        "../../scripts/groups.py"
