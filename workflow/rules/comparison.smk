# Needs: measures/collective/ANALYSIS.csv.
# Gives: measures/gain/ANALYSIS.csv of every analysis that links releases, and
# measures/comparison.csv, the releases of each table side by side.
from microleak.study.series import series

GAINS = [
    f"{OUT}/measures/gain/{analysis.name}.csv"
    for analysis in STUDY.collective.values()
    if analysis.auxiliary
]


rule gain:
    """What each further release that is linked adds to the success."""
    input:
        f"{OUT}/measures/collective/{{analysis}}.csv",
    output:
        f"{OUT}/measures/gain/{{analysis}}.csv",
    log:
        f"{OUT}/logs/gain/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/gain/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        code=fingerprint(
            "microleak.study.gain",
            "microleak.study.tables",
            "microleak.figures.tables",
        ),
    script:
        "../../scripts/gain.py"


rule compare:
    """The same attacks on successive releases of a table, side by side."""
    input:
        every_analysis("measures/collective/{analysis}.csv"),
    output:
        f"{OUT}/measures/comparison.csv",
    log:
        f"{OUT}/logs/compare.log",
    benchmark:
        f"{OUT}/benchmarks/compare.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        series=series(STUDY),
        code=fingerprint(
            "microleak.study.comparison",
            "microleak.study.tables",
            "microleak.figures.tables",
        ),
    script:
        "../../scripts/compare.py"
