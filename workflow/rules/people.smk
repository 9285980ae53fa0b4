# Needs: tables/TABLE/RELEASE.parquet.
# Gives: people/TABLE/RELEASE.parquet, one record a person, and all row counts;
# people/TABLE/POOL.parquet, the records of several releases;
# panels/TABLE/FOCAL/AUX.parquet, what another release says of these persons.
rule deduplicate:
    """One record a person, chosen by a keyed hash, and how many were dropped."""
    input:
        unpack(needs("deduplicate")),
    output:
        **makes("deduplicate"),
    log:
        f"{OUT}/logs/deduplicate/{{table}}/{{release}}.log",
    benchmark:
        f"{OUT}/benchmarks/deduplicate/{{table}}/{{release}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(6000),
        runtime=minutes(120),
    params:
        job=job_of("deduplicate"),
        code=code_of("deduplicate"),
    script:
        "../../scripts/deduplicate.py"


rule pool:
    """The records of several releases as one, each with the name of its release."""
    input:
        unpack(needs("pool")),
    output:
        **makes("pool"),
    log:
        f"{OUT}/logs/pool/{{table}}/{{pool}}.log",
    benchmark:
        f"{OUT}/benchmarks/pool/{{table}}/{{pool}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(120),
    params:
        job=job_of("pool"),
        code=code_of("pool"),
    script:
        "../../scripts/pool.py"


rule join:
    """What an auxiliary release says of each person of the focal one."""
    input:
        unpack(needs("join")),
    output:
        **makes("join"),
    log:
        f"{OUT}/logs/join/{{table}}/{{focal}}/{{auxiliary}}.log",
    benchmark:
        f"{OUT}/benchmarks/join/{{table}}/{{focal}}/{{auxiliary}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(120),
    params:
        job=job_of("join"),
        code=code_of("join"),
    script:
        "../../scripts/join.py"


rule count_rows:
    """Rows read, refused, kept and dropped, and why any were removed."""
    input:
        unpack(needs("count_rows")),
    output:
        **makes("count_rows"),
    log:
        f"{OUT}/logs/count_rows.log",
    benchmark:
        f"{OUT}/benchmarks/count_rows.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("count_rows"),
        code=code_of("count_rows"),
    script:
        "../../scripts/count_rows.py"


rule overlap:
    """The profile of a population's and a sample's records together."""
    input:
        unpack(needs("overlap")),
    output:
        **makes("overlap"),
    log:
        f"{OUT}/logs/overlap/{{compared}}.log",
    benchmark:
        f"{OUT}/benchmarks/overlap/{{compared}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("overlap"),
        code=code_of("overlap"),
    script:
        "../../scripts/overlap.py"
