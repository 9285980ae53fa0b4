people_of_origin = of_job("protect", "people")
receipt_of_origin = of_job("protect", "receipt")
receipts_of_protections = of_job("protections", "people")
people_tabulated = of_job("tabulations", "people")


rule protect:
    """A protected release: another one after the steps that the study file names."""
    input:
        people=people_of_origin,  # people/TABLE/ORIGIN.parquet
        receipt=receipt_of_origin,  # people/TABLE/ORIGIN.json
    output:
        people="<results>/people/{table}/{protection}.parquet",
        receipt="<results>/people/{table}/{protection}.json",
    log:
        "<results>/logs/protect/{table}/{protection}.log",
    benchmark:
        "<results>/benchmarks/protect/{table}/{protection}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=120),
    params:
        **job_and_code("protect"),
    script:
        "../../scripts/protect.py"


rule protections:
    """What each protected release is made by, and how much of it was changed."""
    input:
        people=receipts_of_protections,  # people/TABLE/PROTECTION.json
    output:
        protections="<results>/measures/protections.csv",
    log:
        "<results>/logs/protections.log",
    benchmark:
        "<results>/benchmarks/protections.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=1000, minutes=30),
    params:
        **job_and_code("protections"),
    script:
        "../../scripts/protections.py"


rule tabulations:
    """How much the tables of counts that the study file names lose by protections."""
    input:
        people=people_tabulated,  # people/TABLE/RELEASE.parquet, before and after each protection
    output:
        tabulations="<results>/measures/tabulations.csv",
    log:
        "<results>/logs/tabulations.log",
    benchmark:
        "<results>/benchmarks/tabulations.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=4000, minutes=120),
    params:
        **job_and_code("tabulations"),
    script:
        "../../scripts/tabulations.py"
