# What is known of a target stands in the study file alone: it is no parameter, as
# Snakemake writes these down. So a change anywhere in the file counts it again.
releases_of_target = of_job("target", "releases")


rule target:
    """What an adversary learns of one person, and what would help most next."""
    input:
        releases=releases_of_target,  # people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet
        study=STUDY_FILE,
    output:
        target="<results>/confidential/targets/{targets}.csv",
        further="<results>/confidential/targets/{targets}-further.csv",
    log:
        "<results>/logs/target/{targets}.log",
    benchmark:
        "<results>/benchmarks/target/{targets}.tsv"
    wildcard_constraints:
        targets="[^/]+(?<!-further)",
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=120),
    params:
        **job_and_code("target"),
    script:
        "../../scripts/attack_target.py"
