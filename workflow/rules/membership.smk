population_of_member = of_job("member", "population")
sample_of_member = of_job("member", "sample")


rule membership:
    """What a sample gives away about who is in it, exactly, from the profile."""
    input:
        profile="<results>/profiles/{membership}/overlap.parquet",
    output:
        membership="<results>/measures/membership/{membership}.csv",
        presence="<results>/measures/presence/{membership}.csv",
        uniques="<results>/measures/uniques/{membership}.csv",
    log:
        "<results>/logs/membership/{membership}.log",
    benchmark:
        "<results>/benchmarks/membership/{membership}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("membership"),
    script:
        "../../scripts/membership.py"


rule rough_membership:
    """What it gives away where QIDs are known only roughly, by Bayes."""
    input:
        population=people_of_population,  # people/TABLE/RELEASE.parquet
        sample=people_of_sample,  # people/TABLE/RELEASE.parquet
    output:
        rough_membership="<results>/measures/rough_membership/{membership}.csv",
    log:
        "<results>/logs/rough_membership/{membership}.log",
    benchmark:
        "<results>/benchmarks/rough_membership/{membership}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("rough_membership"),
    script:
        "../../scripts/rough_membership.py"


rule designs:
    """What it gives away by how it was drawn."""
    input:
        population=people_of_population,  # people/TABLE/RELEASE.parquet
        sample=people_of_sample,  # people/TABLE/RELEASE.parquet
    output:
        designs="<results>/measures/designs/{membership}.csv",
    log:
        "<results>/logs/designs/{membership}.log",
    benchmark:
        "<results>/benchmarks/designs/{membership}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("designs"),
    script:
        "../../scripts/designs.py"


rule answers:
    """What is inferred of the answers of those who are found."""
    input:
        population=people_of_population,  # people/TABLE/RELEASE.parquet
        sample=people_of_sample,  # people/TABLE/RELEASE.parquet
    output:
        answers="<results>/measures/answers/{membership}.csv",
    log:
        "<results>/logs/answers/{membership}.log",
    benchmark:
        "<results>/benchmarks/answers/{membership}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("answers"),
    script:
        "../../scripts/answers.py"


rule fingerprints:
    """Which classes are recognised by what all their members answered."""
    input:
        population=people_of_population,  # people/TABLE/RELEASE.parquet
        sample=people_of_sample,  # people/TABLE/RELEASE.parquet
    output:
        fingerprints="<results>/measures/fingerprints/{membership}.csv",
    log:
        "<results>/logs/fingerprints/{membership}.log",
    benchmark:
        "<results>/benchmarks/fingerprints/{membership}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("fingerprints"),
    script:
        "../../scripts/fingerprints.py"


rule member:
    """Whether one person is in a sample.

    What is known of the person stands in the study file alone (targets.smk), so a
    change anywhere in it counts again.
    """
    input:
        population=population_of_member,  # people/TABLE/RELEASE.parquet
        sample=sample_of_member,  # people/TABLE/RELEASE.parquet
        study=STUDY_FILE,
    output:
        member="<results>/confidential/membership/{member}.csv",
    log:
        "<results>/logs/member/{member}.log",
    benchmark:
        "<results>/benchmarks/member/{member}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=120),
    params:
        **job_and_code("member"),
    script:
        "../../scripts/attack_member.py"
