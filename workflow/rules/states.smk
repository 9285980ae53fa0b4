# Needs: people/TABLE/FOCAL.parquet, profiles/ANALYSIS/FOCAL.parquet and, of releases
# that are of a state, measures/worst/ANALYSIS.csv and measures/success/ANALYSIS.parquet.
# Gives: measures/entropy/ANALYSIS.csv, and of the states of each analysis side by side
# measures/states.csv and measures/explained.csv.
from microleak.study.series import state_analyses

STATE_ANALYSES = state_analyses(STUDY)
# In the order of the study file, which that of the tables follows.
OF_STATES = [
    name for name in STUDY.collective if name in {part for part, *_ in STATE_ANALYSES}
]


rule entropy:
    """How evenly QIDs and sensitive attributes divide the records."""
    input:
        profiles=lambda w: profiles_of(w)[0],
        people=lambda w: people_and_panels(STUDY.collective[w.analysis])[0],
    output:
        f"{OUT}/measures/entropy/{{analysis}}.csv",
    log:
        f"{OUT}/logs/entropy/{{analysis}}.log",
    benchmark:
        f"{OUT}/benchmarks/entropy/{{analysis}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(60),
    params:
        analysis=lambda w: asdict(STUDY.collective[w.analysis].prefixes[0]),
        code=fingerprint("microleak.study.entropy", "microleak.study.tables"),
    script:
        "../../scripts/entropy.py"


rule states:
    """The states of each year side by side, with what may explain their leakage."""
    input:
        worst=expand(f"{OUT}/measures/worst/{{name}}.csv", name=OF_STATES),
        success=expand(f"{OUT}/measures/success/{{name}}.parquet", name=OF_STATES),
        entropy=expand(f"{OUT}/measures/entropy/{{name}}.csv", name=OF_STATES),
        # Without any state it would else run before releases are known to be right.
        ingest=ancient(f"{OUT}/measures/ingest.csv"),
    output:
        states=f"{OUT}/measures/states.csv",
        explained=f"{OUT}/measures/explained.csv",
    log:
        f"{OUT}/logs/states.log",
    benchmark:
        f"{OUT}/benchmarks/states.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        releases=STATE_ANALYSES,
        code=fingerprint(
            "microleak.study.states",
            "microleak.study.explained",
            "microleak.study.tables",
            "microleak.figures.tables",
        ),
    script:
        "../../scripts/states.py"
