# Needs: people/TABLE/RELEASE.parquet.
# Gives: people/TABLE/PROTECTION.parquet, a release as any other, with what was done;
# measures/{protections,tabulations}.csv.
rule protect:
    """A protected release: another one after the steps that the study file names."""
    input:
        unpack(needs("protect")),
    output:
        **makes("protect"),
    log:
        f"{OUT}/logs/protect/{{table}}/{{protection}}.log",
    benchmark:
        f"{OUT}/benchmarks/protect/{{table}}/{{protection}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
    params:
        job=job_of("protect"),
        code=code_of("protect"),
    script:
        "../../scripts/protect.py"


rule protections:
    """What each protected release is made by, and how much of it was changed."""
    input:
        unpack(needs("protections")),
    output:
        **makes("protections"),
    log:
        f"{OUT}/logs/protections.log",
    benchmark:
        f"{OUT}/benchmarks/protections.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        job=job_of("protections"),
        code=code_of("protections"),
    script:
        "../../scripts/protections.py"


rule tabulations:
    """How much the tables of counts that the study file names lose by protections."""
    input:
        unpack(needs("tabulations")),
    output:
        **makes("tabulations"),
    log:
        f"{OUT}/logs/tabulations.log",
    benchmark:
        f"{OUT}/benchmarks/tabulations.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        job=job_of("tabulations"),
        code=code_of("tabulations"),
    script:
        "../../scripts/tabulations.py"
