# Needs: people/TABLE/RELEASE.parquet; with an entity tables/TABLE/RELEASE.parquet,
# with a population profiles/ANALYSIS/overlap.parquet.
# Gives: profiles/ANALYSIS/blocks.parquet, with an entity entities.parquet beside it,
# and measures/{anonymity,classes}/ANALYSIS.csv; where the population has a size, weights
# or margins and no table, measures/uniqueness/ANALYSIS.csv.
rule blocks:
    """The block profile of every QID subset, some sensitive values marked."""
    input:
        unpack(needs("blocks")),
    output:
        **makes("blocks"),
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
        job=job_of("blocks"),
        code=code_of("blocks"),
    script:
        "../../scripts/blocks.py"


rule entities:
    """How many entities share a block, for every QID subset, from all their rows."""
    input:
        unpack(needs("entities")),
    output:
        **makes("entities"),
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
        job=job_of("entities"),
        code=code_of("entities"),
    script:
        "../../scripts/entities.py"


rule anonymity:
    """What anonymity models say, from the profiles and what these leave open."""
    input:
        unpack(needs("anonymity")),
    output:
        **makes("anonymity"),
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
        job=job_of("anonymity"),
        code=code_of("anonymity"),
    script:
        "../../scripts/anonymity.py"


rule uniqueness:
    """What models say of a population of which the size, weights or margins are known."""
    input:
        unpack(needs("uniqueness")),
    output:
        **makes("uniqueness"),
    log:
        f"{OUT}/logs/uniqueness/{{anonymity}}.log",
    benchmark:
        f"{OUT}/benchmarks/uniqueness/{{anonymity}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("uniqueness"),
        code=code_of("uniqueness"),
    script:
        "../../scripts/uniqueness.py"
