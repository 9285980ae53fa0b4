table_of_entities = of_job("entities", "table")
entities_if_counted = of_job("anonymity", "entities")
overlap_if_compared = of_job("anonymity", "overlap")


rule blocks:
    """The block profile of every QID subset, some sensitive values marked."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        profile="<results>/profiles/{anonymity}/blocks.parquet",
    log:
        "<results>/logs/blocks/{anonymity}.log",
    benchmark:
        "<results>/benchmarks/blocks/{anonymity}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("blocks"),
    script:
        "../../scripts/blocks.py"


rule entities:
    """How many entities share a block, for every QID subset, from all their rows."""
    input:
        table=table_of_entities,  # tables/TABLE/FOCAL.parquet
    output:
        profile="<results>/profiles/{anonymity}/entities.parquet",
    log:
        "<results>/logs/entities/{anonymity}.log",
    benchmark:
        "<results>/benchmarks/entities/{anonymity}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("entities"),
    script:
        "../../scripts/entities.py"


rule anonymity:
    """What anonymity models say, from the profiles and what these leave open."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
        blocks="<results>/profiles/{anonymity}/blocks.parquet",
        entities=entities_if_counted,  # profiles/ANALYSIS/entities.parquet
        overlap=overlap_if_compared,  # profiles/ANALYSIS/overlap.parquet
    output:
        anonymity="<results>/measures/anonymity/{anonymity}.csv",
        classes="<results>/measures/classes/{anonymity}.csv",
    log:
        "<results>/logs/anonymity/{anonymity}.log",
    benchmark:
        "<results>/benchmarks/anonymity/{anonymity}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("anonymity"),
    script:
        "../../scripts/anonymity.py"


rule uniqueness:
    """What models say of a population of which the size, weights or margins are known."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        uniqueness="<results>/measures/uniqueness/{anonymity}.csv",
    log:
        "<results>/logs/uniqueness/{anonymity}.log",
    benchmark:
        "<results>/benchmarks/uniqueness/{anonymity}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("uniqueness"),
    script:
        "../../scripts/uniqueness.py"
