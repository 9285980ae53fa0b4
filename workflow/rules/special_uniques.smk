rule special_uniques:
    """All minimal sample uniques of every record, and their scores."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        special_uniques="<results>/measures/special_uniques/{special_uniques}.csv",
        suda_scores="<results>/measures/suda_scores/{special_uniques}.csv",
        suda_attributes="<results>/measures/suda_attributes/{special_uniques}.csv",
        suda_values="<results>/measures/suda_values/{special_uniques}.csv",
    log:
        "<results>/logs/special_uniques/{special_uniques}.log",
    benchmark:
        "<results>/benchmarks/special_uniques/{special_uniques}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("special_uniques"),
    script:
        "../../scripts/special_uniques.py"
