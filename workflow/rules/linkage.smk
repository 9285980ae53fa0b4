# Needs: people/TABLE/RELEASE.parquet of two releases.
# Gives: measures/{linkage,linkage_bins,linked_success}/ANALYSIS.csv and
# confidential/linkage/ANALYSIS-TARGET.csv.
rule linkage:
    """Links of persons in two releases without an identifier."""
    input:
        unpack(needs("linkage")),
    output:
        **makes("linkage"),
    log:
        f"{OUT}/logs/linkage/{{linkage}}.log",
    benchmark:
        f"{OUT}/benchmarks/linkage/{{linkage}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("linkage"),
        code=code_of("linkage"),
    script:
        "../../scripts/linkage.py"


rule linked_target:
    """One person looked for in two releases without an identifier.

    What is known of the person stands in the study file alone (targets.smk), so a
    change anywhere in it counts again.
    """
    input:
        unpack(needs("linked_target")),
    output:
        **makes("linked_target"),
    log:
        f"{OUT}/logs/linked_target/{{linked}}.log",
    benchmark:
        f"{OUT}/benchmarks/linked_target/{{linked}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("linked_target"),
        code=code_of("linked_target"),
    script:
        "../../scripts/attack_linked_target.py"
