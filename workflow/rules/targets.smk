# Needs: people/TABLE/FOCAL.parquet, panels/TABLE/FOCAL/AUX.parquet of every release
# of which a value is known, and the study file.
# Gives: confidential/targets/TARGET.csv and TARGET-further.csv.
#
# What is known of a target stands in the study file alone: it is no parameter, as
# Snakemake writes these down. So a change anywhere in the file counts it again.
config.clear()  # Snakemake copies it into a file for each job; nobody reads it


def every_target(pattern):
    return [f"{OUT}/{pattern.format(target=name)}" for name in STUDY.targets]


def releases_of_target(wildcards):
    """Records of the focal release, and what each auxiliary one says of them."""
    target = STUDY.targets[wildcards.target]
    table, focal = target.table, target.focal
    linked = [f"{OUT}/panels/{table}/{focal}/{a}.parquet" for a in target.auxiliary]
    return [f"{OUT}/people/{table}/{focal}.parquet", *linked]


rule target:
    """What an adversary learns of one person, and what would help most next."""
    input:
        releases=releases_of_target,
        study=STUDY_FILE,
    output:
        target=f"{OUT}/confidential/targets/{{target}}.csv",
        further=f"{OUT}/confidential/targets/{{target}}-further.csv",
    log:
        f"{OUT}/logs/target/{{target}}.log",
    benchmark:
        f"{OUT}/benchmarks/target/{{target}}.tsv"
    conda:
        ENVIRONMENT
    wildcard_constraints:
        target="[^/]+(?<!-further)",
    resources:
        mem_mb=1000,
    params:
        code=fingerprint("microleak.study.target", "microleak.study.tables"),
    script:
        "../../scripts/attack_target.py"
