# Needs: what the study file says of a release.
# Gives: tables/TABLE/RELEASE.parquet, checked, and a receipt.
#
# A cluster's nodes often have no way out: what is downloaded is so by the machine
# that runs Snakemake (`localrule`, which holds in a module as well).


rule download:
    """The bytes behind a URL, resumed where a connection broke."""
    output:
        **makes("download"),
    log:
        f"{OUT}/logs/download/{{table}}/{{release}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=job_of("download"),
        code=code_of("download"),
    script:
        "../../scripts/download.py"


rule collect:
    """The files of a release behind an FTP address, and their SHA-256."""
    output:
        **makes("collect"),
    log:
        f"{OUT}/logs/collect/{{table}}/{{release}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=job_of("collect"),
        code=code_of("collect"),
    script:
        "../../scripts/collect.py"


rule synthesise:
    """A release of the source's synthetic twin, in the source's own raw form."""
    output:
        **makes("synthesise"),
    log:
        f"{OUT}/logs/synthesise/{{table}}/{{release}}.log",
    benchmark:
        f"{OUT}/benchmarks/synthesise/{{table}}/{{release}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        job=job_of("synthesise"),
        code=code_of("synthesise"),
    script:
        "../../scripts/synthesise.py"


rule ingest:
    """The needed attributes of a release as checked text, in newest names."""
    input:
        unpack(needs("ingest")),
    output:
        **makes("ingest"),
    log:
        f"{OUT}/logs/ingest/{{table}}/{{release}}.log",
    benchmark:
        f"{OUT}/benchmarks/ingest/{{table}}/{{release}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000),
        runtime=minutes(120),
    params:
        job=job_of("ingest"),
        code=code_of("ingest"),
    script:
        "../../scripts/ingest.py"
