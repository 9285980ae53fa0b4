# Needs: people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet of every release
# of which a value is known, and the study file.
# Gives: confidential/targets/TARGET.csv and TARGET-further.csv.
#
# What is known of a target stands in the study file alone: it is no parameter, as
# Snakemake writes these down. So a change anywhere in the file counts it again.
rule target:
    """What an adversary learns of one person, and what would help most next."""
    input:
        unpack(needs("target")),
    output:
        **makes("target"),
    log:
        f"{OUT}/logs/target/{{targets}}.log",
    benchmark:
        f"{OUT}/benchmarks/target/{{targets}}.tsv"
    wildcard_constraints:
        targets="[^/]+(?<!-further)",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(120),
    params:
        job=job_of("target"),
        code=code_of("target"),
    script:
        "../../scripts/attack_target.py"
