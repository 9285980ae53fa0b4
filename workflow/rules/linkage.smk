people_of_linked = of_job("linkage", "auxiliary")
focal_of_target = of_job("linked_target", "focal")
linked_of_target = of_job("linked_target", "auxiliary")


rule linkage:
    """Links of persons in two releases without an identifier."""
    input:
        focal=people_of_analysis,  # people/TABLE/FOCAL.parquet
        auxiliary=people_of_linked,  # people/TABLE/LINKED.parquet
    output:
        linkage="<results>/measures/linkage/{linkage}.csv",
        linkage_bins="<results>/measures/linkage_bins/{linkage}.csv",
        linked_success="<results>/measures/linked_success/{linkage}.csv",
    log:
        "<results>/logs/linkage/{linkage}.log",
    benchmark:
        "<results>/benchmarks/linkage/{linkage}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("linkage"),
    script:
        "../../scripts/linkage.py"


rule linked_target:
    """One person looked for in two releases without an identifier.

    What is known of the person stands in the study file alone (targets.smk), so a
    change anywhere in it counts again.
    """
    input:
        focal=focal_of_target,  # people/TABLE/FOCAL.parquet
        auxiliary=linked_of_target,  # people/TABLE/LINKED.parquet
        study=STUDY_FILE,
    output:
        linked_target="<results>/confidential/linkage/{linked}.csv",
    log:
        "<results>/logs/linked_target/{linked}.log",
    benchmark:
        "<results>/benchmarks/linked_target/{linked}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("linked_target"),
    script:
        "../../scripts/attack_linked_target.py"
