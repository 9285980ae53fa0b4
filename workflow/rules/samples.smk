# Needs: people/TABLE/RELEASE.parquet of a population and of a sample; for targets
# also the study file.
# Gives: profiles/ANALYSIS/overlap.parquet of every analysis with both and, of
# membership analyses, measures/{membership,presence,uniques}/ANALYSIS.csv and
# confidential/membership/ANALYSIS-TARGET.csv.
from microleak.study.overlap import crosswalk_between
from microleak.study.samples import as_fields


rule overlap:
    """The profile of a population's and a sample's records together."""
    input:
        population=lambda w: people_of(STUDY.compared[w.compared].population),
        sample=lambda w: people_of(STUDY.compared[w.compared].sample),
    output:
        f"{OUT}/profiles/{{compared}}/overlap.parquet",
    log:
        f"{OUT}/logs/overlap/{{compared}}.log",
    benchmark:
        f"{OUT}/benchmarks/overlap/{{compared}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=lambda w: as_fields(STUDY.compared[w.compared]),
        is_synthetic=lambda w: STUDY.is_synthetic_analysis(STUDY.compared[w.compared]),
        crosswalk=lambda w: repr(crosswalk_between(STUDY.compared[w.compared])),
        code=fingerprint("microleak.study.overlap_profiling"),
    script:
        "../../scripts/overlap.py"


rule membership:
    """What a sample gives away about who is in it, exactly, from the profile."""
    input:
        f"{OUT}/profiles/{{membership}}/overlap.parquet",
    output:
        membership=f"{OUT}/measures/membership/{{membership}}.csv",
        presence=f"{OUT}/measures/presence/{{membership}}.csv",
        uniques=f"{OUT}/measures/uniques/{{membership}}.csv",
    log:
        f"{OUT}/logs/membership/{{membership}}.log",
    benchmark:
        f"{OUT}/benchmarks/membership/{{membership}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        analysis=lambda w: as_fields(STUDY.membership[w.membership]),
        code=fingerprint("microleak.study.membership", "microleak.study.tables"),
    script:
        "../../scripts/membership.py"


rule member:
    """Whether one person is in a sample.

    What is known of the person stands in the study file alone (targets.smk), so a
    change anywhere in it counts again.
    """
    input:
        population=lambda w: people_of(STUDY.members[w.member][0].population),
        sample=lambda w: people_of(STUDY.members[w.member][0].sample),
        study=STUDY_FILE,
    output:
        f"{OUT}/confidential/membership/{{member}}.csv",
    log:
        f"{OUT}/logs/member/{{member}}.log",
    benchmark:
        f"{OUT}/benchmarks/member/{{member}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(120),
    params:
        crosswalk=lambda w: repr(crosswalk_between(STUDY.members[w.member][0])),
        code=fingerprint(
            "microleak.study.config",
            "microleak.study.member",
            "microleak.study.tables",
        ),
    script:
        "../../scripts/attack_member.py"
