people_of_pool = of_job("pool", "people")
people_of_units = of_job("units", "people")
receipt_of_units = of_job("units", "receipt")
joined_of_units = of_job("units", "joined")
receipts_of_tables = of_job("count_rows", "tables")
receipts_of_people = of_job("count_rows", "people")


rule deduplicate:
    """One record a person, chosen by a keyed hash, and how many were dropped."""
    input:
        table="<results>/tables/{table}/{release}.parquet",
        receipt="<results>/tables/{table}/{release}.json",
    output:
        people="<results>/people/{table}/{release}.parquet",
        receipt="<results>/people/{table}/{release}.json",
    log:
        "<results>/logs/deduplicate/{table}/{release}.log",
    benchmark:
        "<results>/benchmarks/deduplicate/{table}/{release}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=6000, minutes=120),
    params:
        **job_and_code("deduplicate"),
    script:
        "../../scripts/deduplicate.py"


rule pool:
    """The records of several releases as one, each with the name of its release."""
    input:
        people=people_of_pool,  # people/TABLE/RELEASE.parquet, one a release
    output:
        people="<results>/people/{table}/{pool}.parquet",
        receipt="<results>/people/{table}/{pool}.json",
    log:
        "<results>/logs/pool/{table}/{pool}.log",
    benchmark:
        "<results>/benchmarks/pool/{table}/{pool}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=120),
    params:
        **job_and_code("pool"),
    script:
        "../../scripts/pool.py"


rule units:
    """What each record's household, or other unit, tells of its other members."""
    input:
        people=people_of_units,  # people/TABLE/RELEASE.parquet
        receipt=receipt_of_units,  # people/TABLE/RELEASE.json
        joined=joined_of_units,  # people/TABLE/RELEASE.parquet, one a joined file
    output:
        people="<results>/people/{table}/{units}.parquet",
        receipt="<results>/people/{table}/{units}.json",
    log:
        "<results>/logs/units/{table}/{units}.log",
    benchmark:
        "<results>/benchmarks/units/{table}/{units}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=6000, minutes=120),
    params:
        **job_and_code("units"),
    script:
        "../../scripts/units.py"


rule join:
    """What an auxiliary release says of each person of the focal one."""
    input:
        focal="<results>/people/{table}/{focal}.parquet",
        auxiliary="<results>/people/{table}/{auxiliary}.parquet",
        receipt="<results>/people/{table}/{focal}.json",
    output:
        panel="<results>/panels/{table}/{focal}/{auxiliary}.parquet",
        receipt="<results>/panels/{table}/{focal}/{auxiliary}.json",
    log:
        "<results>/logs/join/{table}/{focal}/{auxiliary}.log",
    benchmark:
        "<results>/benchmarks/join/{table}/{focal}/{auxiliary}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=120),
    params:
        **job_and_code("join"),
    script:
        "../../scripts/join.py"


rule count_rows:
    """Rows read, refused, kept and dropped, and why any were removed."""
    input:
        tables=receipts_of_tables,  # tables/TABLE/RELEASE.json, one a release
        people=receipts_of_people,  # people/TABLE/RELEASE.json, one a release
    output:
        ingest="<results>/measures/ingest.csv",
        removed="<results>/measures/removed.csv",
    log:
        "<results>/logs/count_rows.log",
    benchmark:
        "<results>/benchmarks/count_rows.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("count_rows"),
    script:
        "../../scripts/count_rows.py"


rule overlap:
    """The profile of a population's and a sample's records together."""
    input:
        population=people_of_population,  # people/TABLE/RELEASE.parquet
        sample=people_of_sample,  # people/TABLE/RELEASE.parquet
    output:
        profile="<results>/profiles/{compared}/overlap.parquet",
    log:
        "<results>/logs/overlap/{compared}.log",
    benchmark:
        "<results>/benchmarks/overlap/{compared}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("overlap"),
    script:
        "../../scripts/overlap.py"
