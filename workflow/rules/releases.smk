# Needs: what the study file says of a release.
# Gives: tables/TABLE/RELEASE.parquet, checked, and a receipt.
#
# A cluster's nodes often have no way out: what is downloaded is so by the machine
# that runs Snakemake.
localrules:
    download,
    collect,


rule download:
    """The bytes behind a URL, resumed where a connection broke."""
    output:
        f"{OUT}/raw/url/{{table}}/{{release}}",
    log:
        f"{OUT}/logs/download/{{table}}/{{release}}.log",
    conda:
        ENVIRONMENT
    params:
        url=lambda w: release_of(w).url,
        sha256=lambda w: release_of(w).sha256,
        code=fingerprint("microleak.sources.fetch"),
    script:
        "../../scripts/download.py"


rule collect:
    """The files of a release behind an FTP address, and their SHA-256."""
    output:
        f"{OUT}/raw/url/{{table}}/{{release}}/complete.txt",
    log:
        f"{OUT}/logs/collect/{{table}}/{{release}}.log",
    conda:
        ENVIRONMENT
    params:
        url=lambda w: release_of(w).url,
        source=lambda w: STUDY.tables[w.table].source,
        options=lambda w: STUDY.tables[w.table].options,
        members=lambda w: definition_of(w).members,
        code=fingerprint("microleak.sources.collect"),
    script:
        "../../scripts/collect.py"


rule synthesise:
    """A release of the source's synthetic twin, in the source's own raw form."""
    output:
        f"{OUT}/raw/synthetic/{{table}}/{{release}}",
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
        source=lambda w: STUDY.tables[w.table].source,
        size=lambda w: release_of(w).twin_size,
        seed=STUDY.seed,
        writing=writing_of,
        code=fingerprint(
            "microleak.study.synthesis",
            files=sorted((ROOT / "microleak/sources/twin").glob("*.yaml")),
        ),
    script:
        "../../scripts/synthesise.py"


rule ingest:
    """The needed attributes of a release as checked text, in newest names."""
    input:
        archive=arrived,
    output:
        table=f"{OUT}/tables/{{table}}/{{release}}.parquet",
        receipt=f"{OUT}/tables/{{table}}/{{release}}.json",
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
        archive=archive_of,
        source=lambda w: STUDY.tables[w.table].source,
        options=lambda w: STUDY.tables[w.table].options,
        attributes=lambda w: STUDY.attributes(w.table, w.release),
        sha256=lambda w: release_of(w).sha256,
        n_rows=lambda w: release_of(w).n_rows,
        max_refused=lambda w: STUDY.tables[w.table].max_refused,
        is_synthetic=lambda w: release_of(w).is_synthetic,
        reading=reading_of,
        archive_state=archive_state_of,
        code=fingerprint("microleak.sources.ingest"),
    script:
        "../../scripts/ingest.py"
