# Needs: people/TABLE/RELEASE.parquet; with an entity tables/TABLE/RELEASE.parquet,
# with a population profiles/ANALYSIS/overlap.parquet.
# Gives: profiles/ANALYSIS/blocks.parquet, with an entity entities.parquet beside it,
# and measures/{anonymity,classes}/ANALYSIS.csv.
from dataclasses import replace


def blocks_of(wildcards):
    """What of an analysis its blocks depend on."""
    others = {"entity": None, "population": None, "n_population": None}
    analysis = STUDY.anonymity[wildcards.anonymity]
    return asdict(replace(analysis, crosswalk=None, **others))


def entities_of(wildcards):
    """What of an analysis the blocks of its entities depend on."""
    entity = STUDY.anonymity[wildcards.anonymity].entity
    return blocks_of(wildcards) | {"entity": entity, "sensitive": (), "order": {}}


def release_measured(wildcards, folder):
    """Where the records of an analysis's release are."""
    analysis = STUDY.anonymity[wildcards.anonymity]
    return f"{OUT}/{folder}/{analysis.table}/{analysis.focal}.parquet"


def is_synthetic_measured(wildcards):
    analysis = STUDY.anonymity[wildcards.anonymity]
    return STUDY.is_synthetic_release(analysis.table, analysis.focal)


def measured_from(wildcards):
    """Profiles of an analysis, those that it has, and the records they are of."""
    analysis = STUDY.anonymity[wildcards.anonymity]
    made = {"blocks": True, "entities": analysis.entity, "overlap": analysis.population}
    profiles = f"{OUT}/profiles/{analysis.name}"
    return {
        "people": release_measured(wildcards, "people"),
        **{
            name: f"{profiles}/{name}.parquet"
            for name, is_made in made.items()
            if is_made
        },
    }


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
        mem_mb=usual_mb(8000),
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
        mem_mb=usual_mb(8000),
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
        mem_mb=usual_mb(8000),
    params:
        analysis=lambda w: asdict(STUDY.anonymity[w.anonymity]),
        code=fingerprint("microleak.study.anonymity", "microleak.study.tables"),
    script:
        "../../scripts/anonymity.py"
