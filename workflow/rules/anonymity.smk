# Needs: people/TABLE/RELEASE.parquet; with an entity tables/TABLE/RELEASE.parquet,
# with a population profiles/ANALYSIS/overlap.parquet.
# Gives: profiles/ANALYSIS/blocks.parquet, with an entity entities.parquet beside it,
# and measures/{anonymity,classes}/ANALYSIS.csv.
rule blocks:
    """The block profile of every QID subset, some sensitive values marked."""
    input:
        lambda w: release_measured(w, "people"),
    output:
        f"{OUT}/profiles/{{anonymity}}/blocks.parquet",
    log:
        f"{OUT}/logs/blocks/{{anonymity}}.log",
    benchmark:
        f"{OUT}/benchmarks/blocks/{{anonymity}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=blocks_of,
        is_synthetic=is_synthetic_measured,
        code=fingerprint("microleak.study.anonymity_profiling"),
    script:
        "../../scripts/blocks.py"


rule entities:
    """How many entities share a block, for every QID subset, from all their rows."""
    input:
        lambda w: release_measured(w, "tables"),
    output:
        f"{OUT}/profiles/{{anonymity}}/entities.parquet",
    log:
        f"{OUT}/logs/entities/{{anonymity}}.log",
    benchmark:
        f"{OUT}/benchmarks/entities/{{anonymity}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=entities_of,
        is_synthetic=is_synthetic_measured,
        code=fingerprint("microleak.study.entity_profiling"),
    script:
        "../../scripts/entities.py"


rule anonymity:
    """What anonymity models say, from the profiles and what these leave open."""
    input:
        unpack(measured_from),
    output:
        anonymity=f"{OUT}/measures/anonymity/{{anonymity}}.csv",
        classes=f"{OUT}/measures/classes/{{anonymity}}.csv",
    log:
        f"{OUT}/logs/anonymity/{{anonymity}}.log",
    benchmark:
        f"{OUT}/benchmarks/anonymity/{{anonymity}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=lambda w: asdict(STUDY.anonymity[w.anonymity]),
        code=fingerprint("microleak.study.anonymity", "microleak.study.tables"),
    script:
        "../../scripts/anonymity.py"
