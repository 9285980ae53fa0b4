people_if_not_published = of_job("query_answers", "people")


rule query_answers:
    """What answers to queries give away of the values that they are of."""
    input:
        people=people_if_not_published,  # people/TABLE/RELEASE.parquet
    output:
        query_answers="<results>/measures/query_answers/{query_answers}.csv",
        answered_values="<results>/measures/answered_values/{query_answers}.csv",
        audited_queries="<results>/measures/audited_queries/{query_answers}.csv",
        proofs="<results>/proofs/query_answers/{query_answers}.json",
    log:
        "<results>/logs/query_answers/{query_answers}.log",
    benchmark:
        "<results>/benchmarks/query_answers/{query_answers}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=4000, minutes=240),
    params:
        **job_and_code("query_answers"),
    script:
        "../../scripts/query_answers.py"
