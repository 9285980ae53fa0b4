# Needs: people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet of every auxiliary
# release, and measures/ingest.csv.
# Gives: profiles/ANALYSIS/PANEL.parquet, one a prefix of the auxiliary releases; of an
# analysis with parts it is added from profiles/ANALYSIS/PANEL/PART.parquet. From these
# measures/*/ANALYSIS.*; of states side by side measures/states.csv and
# measures/explained.csv, of each table's releases measures/comparison.csv.
rule profile_part:
    """A part of the block profile, for one of several machines."""
    input:
        unpack(needs("profile_part")),
    output:
        **makes("profile_part"),
    log:
        f"{OUT}/logs/profile_part/{{collective}}/{{panel}}/{{part}}.log",
    benchmark:
        f"{OUT}/benchmarks/profile_part/{{collective}}/{{panel}}/{{part}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("profile_part"),
        code=code_of("profile_part"),
    script:
        "../../scripts/profile_part.py"


rule profile:
    """The block profile of every QID subset, counted or added from its parts."""
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


rule draw:
    """The figures of an analysis, in every language of the report."""
    input:
        unpack(needs("draw")),
    output:
        figures=shown(
            makes("draw")["figures"],
            patterns=["{figure}.svg"],
            category="Figures",
            labels={"analysis": "{collective}", "figure": "{figure}"},
            caption="../report/figures.rst",
        ),
    log:
        f"{OUT}/logs/draw/{{collective}}.log",
    benchmark:
        f"{OUT}/benchmarks/draw/{{collective}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        job=job_of("draw"),
        code=code_of("draw"),
    script:
        "../../scripts/draw.py"
