# Needs: profiles/ANALYSIS/overlap.parquet; for targets people/TABLE/RELEASE.parquet of a
# population and of a sample, and the study file.
# Gives: measures/{membership,presence,uniques,rough_membership,designs,answers,
# fingerprints}/ANALYSIS.csv and confidential/membership/ANALYSIS-TARGET.csv.
rule membership:
    """What a sample gives away about who is in it, exactly, from the profile."""
    input:
        unpack(needs("membership")),
    output:
        **makes("membership"),
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
        job=job_of("membership"),
        code=code_of("membership"),
    script:
        "../../scripts/membership.py"


rule rough_membership:
    """What it gives away where QIDs are known only roughly, by Bayes."""
    input:
        unpack(needs("rough_membership")),
    output:
        **makes("rough_membership"),
    log:
        f"{OUT}/logs/rough_membership/{{membership}}.log",
    benchmark:
        f"{OUT}/benchmarks/rough_membership/{{membership}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("rough_membership"),
        code=code_of("rough_membership"),
    script:
        "../../scripts/rough_membership.py"


rule designs:
    """What it gives away by how it was drawn."""
    input:
        unpack(needs("designs")),
    output:
        **makes("designs"),
    log:
        f"{OUT}/logs/designs/{{membership}}.log",
    benchmark:
        f"{OUT}/benchmarks/designs/{{membership}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("designs"),
        code=code_of("designs"),
    script:
        "../../scripts/designs.py"


rule answers:
    """What is inferred of the answers of those who are found."""
    input:
        unpack(needs("answers")),
    output:
        **makes("answers"),
    log:
        f"{OUT}/logs/answers/{{membership}}.log",
    benchmark:
        f"{OUT}/benchmarks/answers/{{membership}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("answers"),
        code=code_of("answers"),
    script:
        "../../scripts/answers.py"


rule fingerprints:
    """Which classes are recognised by what all their members answered."""
    input:
        unpack(needs("fingerprints")),
    output:
        **makes("fingerprints"),
    log:
        f"{OUT}/logs/fingerprints/{{membership}}.log",
    benchmark:
        f"{OUT}/benchmarks/fingerprints/{{membership}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("fingerprints"),
        code=code_of("fingerprints"),
    script:
        "../../scripts/fingerprints.py"


rule member:
    """Whether one person is in a sample.

    What is known of the person stands in the study file alone (targets.smk), so a
    change anywhere in it counts again.
    """
    input:
        unpack(needs("member")),
    output:
        **makes("member"),
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
        job=job_of("member"),
        code=code_of("member"),
    script:
        "../../scripts/attack_member.py"
