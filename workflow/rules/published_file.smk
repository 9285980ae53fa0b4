original_of_file = of_job("published_file", "original")
published_of_file = of_job("published_file", "published")
control_of_file = of_job("published_file", "control")


rule published_file:
    """What a file gives away that somebody else protected or made."""
    input:
        original=original_of_file,  # people/TABLE/FOCAL.parquet
        published=published_of_file,  # people/TABLE/RELEASE.parquet
        control=control_of_file,  # people/TABLE/RELEASE.parquet, if there is one
    output:
        published_file="<results>/measures/published_file/{published_file}.csv",
        published_guesses="<results>/measures/published_guesses/{published_file}.csv",
        published_facts="<results>/measures/published_facts/{published_file}.csv",
        published_copies="<results>/measures/published_copies/{published_file}.csv",
        published_links="<results>/measures/published_links/{published_file}.csv",
    log:
        "<results>/logs/published_file/{published_file}.log",
    benchmark:
        "<results>/benchmarks/published_file/{published_file}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("published_file"),
    script:
        "../../scripts/published_file.py"
