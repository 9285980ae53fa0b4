rule smallest_protection:
    """The smallest protection that keeps a risk within bounds, with its proof."""
    input:
        people=people_of_analysis,  # people/TABLE/FOCAL.parquet
    output:
        smallest_protection="<results>/measures/smallest_protection/{smallest_protection}.csv",
        witnesses="<results>/measures/witnesses/{smallest_protection}.csv",
        cuts="<results>/measures/cuts/{smallest_protection}.csv",
        lattice="<results>/measures/lattice/{smallest_protection}.csv",
        minimality="<results>/measures/minimality/{smallest_protection}.csv",
        exposed="<results>/measures/exposed/{smallest_protection}.csv",
    log:
        "<results>/logs/smallest_protection/{smallest_protection}.log",
    benchmark:
        "<results>/benchmarks/smallest_protection/{smallest_protection}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        **up_to(mb=8000, minutes=240),
    params:
        **job_and_code("smallest_protection"),
    script:
        "../../scripts/smallest_protection.py"
