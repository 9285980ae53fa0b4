rule rough_knowledge:
    """Success of the attacks where QIDs are known only roughly, by Bayes."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        rough_knowledge="<results>/measures/rough_knowledge/{rough_knowledge}.csv",
    log:
        "<results>/logs/rough_knowledge/{rough_knowledge}.log",
    benchmark:
        "<results>/benchmarks/rough_knowledge/{rough_knowledge}.tsv"
    conda:
        ENVIRONMENT
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("rough_knowledge"),
    script:
        "../../scripts/rough_knowledge.py"
