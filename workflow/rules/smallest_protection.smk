# Needs: people/TABLE/RELEASE.parquet.
# Gives: measures/{smallest_protection,witnesses,cuts,lattice,minimality,exposed}/ANALYSIS.csv.
rule smallest_protection:
    """The smallest protection that keeps a risk within bounds, with its proof."""
    input:
        unpack(needs("smallest_protection")),
    output:
        **makes("smallest_protection"),
    log:
        f"{OUT}/logs/smallest_protection/{{smallest_protection}}.log",
    benchmark:
        f"{OUT}/benchmarks/smallest_protection/{{smallest_protection}}.tsv"
    conda:
        ENVIRONMENT
    threads: workflow.cores
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        job=job_of("smallest_protection"),
        code=code_of("smallest_protection"),
    script:
        "../../scripts/smallest_protection.py"
