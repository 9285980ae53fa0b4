# Needs: nothing, or people/TABLE/RELEASE.parquet of databases of a release.
# Gives: measures/{reconstruction,bad_points}/ANALYSIS.csv of reconstruction analyses.
rule reconstruction:
    """How far databases are rebuilt from noisy counts of their subsets."""
    input:
        lambda w: people_needed(STUDY.reconstruction[w.reconstruction]),
    output:
        reconstruction=f"{OUT}/measures/reconstruction/{{reconstruction}}.csv",
        bad_points=f"{OUT}/measures/bad_points/{{reconstruction}}.csv",
    log:
        f"{OUT}/logs/reconstruction/{{reconstruction}}.log",
    benchmark:
        f"{OUT}/benchmarks/reconstruction/{{reconstruction}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        analysis=lambda w: asdict(STUDY.reconstruction[w.reconstruction]),
        seed=STUDY.seed,
        code=fingerprint("microleak.study.reconstruction", "microleak.study.tables"),
    script:
        "../../scripts/reconstruction.py"
