# What the study file decides (microleak/attacks/collective/jobs.py). ANALYSIS is the name
# that results have as a wildcard; a panel is the focal release alone, or with the first
# auxiliary ones. docs/pipeline.md is made from the comments behind inputs.
releases_of_part = of_job("profile_part", "releases")
releases_if_whole = of_job("profile", "releases")
parts_if_any = of_job("profile", "parts")
profiles_of_analysis = of_job("measure", "profiles")
profile_of_focal = of_job("entropy", "profiles")
worst_of_states = of_job("states", "worst")
success_of_states = of_job("states", "success")
entropy_of_states = of_job("states", "entropy")
success_of_releases = of_job("compare", "collective")


rule profile_part:
    """A part of the block profile, for one of several machines."""
    input:
        releases=releases_of_part,  # people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet
    output:
        part="<results>/profiles/{collective}/{panel}/{part}.parquet",
    log:
        "<results>/logs/profile_part/{collective}/{panel}/{part}.log",
    benchmark:
        "<results>/benchmarks/profile_part/{collective}/{panel}/{part}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("profile_part"),
    script:
        "../../scripts/profile_part.py"


rule profile:
    """The block profile of every QID subset, counted or added from its parts."""
    input:
        releases=releases_if_whole,  # people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet
        parts=parts_if_any,  # profiles/ANALYSIS/PANEL/PART.parquet
    output:
        profile="<results>/profiles/{collective}/{panel}.parquet",
    log:
        "<results>/logs/profile/{collective}/{panel}.log",
    benchmark:
        "<results>/benchmarks/profile/{collective}/{panel}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("profile"),
    script:
        "../../scripts/profile.py"


rule measure:
    """Every measure of a collective analysis, exactly, from its profiles."""
    input:
        profiles=profiles_of_analysis,  # profiles/ANALYSIS/PANEL.parquet, one a prefix
    output:
        collective="<results>/measures/collective/{collective}.csv",
        values="<results>/measures/values/{collective}.csv",
        worst="<results>/measures/worst/{collective}.csv",
        distribution="<results>/measures/distribution/{collective}.csv",
        success="<results>/measures/success/{collective}.parquet",
    log:
        "<results>/logs/measure/{collective}.log",
    benchmark:
        "<results>/benchmarks/measure/{collective}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("measure"),
    script:
        "../../scripts/measure.py"


rule importance:
    """What each attribute brings to the success of an analysis."""
    input:
        collective="<results>/measures/collective/{collective}.csv",
    output:
        importance="<results>/measures/importance/{collective}.csv",
    log:
        "<results>/logs/importance/{collective}.log",
    benchmark:
        "<results>/benchmarks/importance/{collective}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("importance"),
    script:
        "../../scripts/importance.py"


rule groups:
    """What an adversary infers of the groups of an analysis, from its profiles."""
    input:
        profiles=profiles_of_analysis,  # profiles/ANALYSIS/PANEL.parquet, one a prefix
    output:
        groups="<results>/measures/groups/{collective}.csv",
    log:
        "<results>/logs/groups/{collective}.log",
    benchmark:
        "<results>/benchmarks/groups/{collective}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("groups"),
    script:
        "../../scripts/groups.py"


rule entropy:
    """How evenly QIDs and sensitive attributes divide the records."""
    input:
        profiles=profile_of_focal,  # profiles/ANALYSIS/FOCAL.parquet
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        entropy="<results>/measures/entropy/{collective}.csv",
    log:
        "<results>/logs/entropy/{collective}.log",
    benchmark:
        "<results>/benchmarks/entropy/{collective}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("entropy"),
    script:
        "../../scripts/entropy.py"


rule states:
    """The states of each year side by side, with what may explain their leakage."""
    input:
        worst=worst_of_states,  # measures/worst/ANALYSIS.csv
        success=success_of_states,  # measures/success/ANALYSIS.parquet
        entropy=entropy_of_states,  # measures/entropy/ANALYSIS.csv
        ingest="<results>/measures/ingest.csv",
    output:
        states="<results>/measures/states.csv",
        explained="<results>/measures/explained.csv",
    log:
        "<results>/logs/states.log",
    benchmark:
        "<results>/benchmarks/states.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("states"),
    script:
        "../../scripts/states.py"


rule gain:
    """What each further release that is linked adds to the success."""
    input:
        collective="<results>/measures/collective/{collective}.csv",
    output:
        gain="<results>/measures/gain/{collective}.csv",
    log:
        "<results>/logs/gain/{collective}.log",
    benchmark:
        "<results>/benchmarks/gain/{collective}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("gain"),
    script:
        "../../scripts/gain.py"


rule compare:
    """The same attacks on successive releases of a table, side by side."""
    input:
        collective=success_of_releases,  # measures/collective/ANALYSIS.csv
    output:
        comparison="<results>/measures/comparison.csv",
    log:
        "<results>/logs/compare.log",
    benchmark:
        "<results>/benchmarks/compare.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("compare"),
    script:
        "../../scripts/compare.py"


rule draw:
    """The figures of an analysis, in every language of the report."""
    input:
        published="<results>/published",
    output:
        figures=shown(
            directory("<results>/figures/{collective}"),
            patterns=["{figure}.svg"],
            category="Figures",
            labels={"analysis": "{collective}", "figure": "{figure}"},
            caption="../report/figures.rst",
        ),
    log:
        "<results>/logs/draw/{collective}.log",
    benchmark:
        "<results>/benchmarks/draw/{collective}.tsv"
    conda:
        ENVIRONMENT
    threads: 2
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("draw"),
    script:
        "../../scripts/draw.py"
