# A cluster's nodes often have no way out: what is downloaded is so by the machine
# that runs Snakemake (`localrule`, which holds in a module as well).
archive_of_release = of_job("ingest", "archive")


rule download:
    """The bytes behind a URL, resumed where a connection broke."""
    output:
        archive="<results>/raw/url/{table}/{release}",
    log:
        "<results>/logs/download/{table}/{release}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **job_and_code("download"),
    script:
        "../../scripts/download.py"


rule collect:
    """The files of a release behind an FTP address, and their SHA-256."""
    output:
        complete="<results>/raw/url/{table}/{release}/complete.txt",
    log:
        "<results>/logs/collect/{table}/{release}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **job_and_code("collect"),
    script:
        "../../scripts/collect.py"


rule synthesise:
    """A release of the source's synthetic twin, in the source's own raw form."""
    output:
        archive="<results>/raw/synthetic/{table}/{release}",
    log:
        "<results>/logs/synthesise/{table}/{release}.log",
    benchmark:
        "<results>/benchmarks/synthesise/{table}/{release}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=60),
    params:
        **job_and_code("synthesise"),
    script:
        "../../scripts/synthesise.py"


rule ingest:
    """The needed attributes of a release as checked text, in newest names."""
    input:
        archive=archive_of_release,  # the study file's, raw/HOW/TABLE/RELEASE, raw/url/TABLE/RELEASE/complete.txt
    output:
        table="<results>/tables/{table}/{release}.parquet",
        receipt="<results>/tables/{table}/{release}.json",
    log:
        "<results>/logs/ingest/{table}/{release}.log",
    benchmark:
        "<results>/benchmarks/ingest/{table}/{release}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=2000, minutes=120),
    params:
        **job_and_code("ingest"),
    script:
        "../../scripts/ingest.py"
