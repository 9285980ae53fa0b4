"""One sentence that says what a run found."""

from benchmarks.comparison import fastest, own_time
from benchmarks.markdown import duration, estimated, memory, multiple
from benchmarks.results import SYNTHESISE, ProfileTime, Run, Step
from benchmarks.subject import SUBJECTS


def conclusion(run: Run) -> str:
    """Say how many records and subsets took what, also the fastest peer."""
    own = own_time(run, run.n_records, run.n_threads)
    assert own  # a run without it has no measure step, and ends with an error
    return f"{_whole_way(run, own)}; {_subsets(run, own)}."


def _whole_way(run: Run, own: ProfileTime) -> str:
    """Say what a study of a real release would take, with its reading."""
    steps = [step for step in run.way_in if step.name != SYNTHESISE]
    parts: list[Step | ProfileTime] = [*steps, own, run.measure]
    took = duration(sum(part.wall_s for part in parts))
    peak = memory(max(part.peak_mib for part in parts))
    return (
        f"From the raw release to the tables of success of {run.n_records:,} "
        f"{SUBJECTS[run.subject].records} and all {2**run.n_study_qids - 1:,} subsets "
        f"of {run.n_study_qids} QIDs, microleak took {took} on {run.n_threads} cores "
        f"and at most {peak}"
    )


def _subsets(run: Run, own: ProfileTime) -> str:
    """Say what the subsets alone took, and the fastest peer of the whole table."""
    took = f"{duration(own.wall_s)} and {memory(own.peak_mib)}"
    peer = fastest(run)
    if peer is None or peer.total is None:
        return f"the subsets alone took {took}, and no peer finished the whole table"
    every = 2**run.n_study_qids - 1
    drawn = (
        "" if peer.n_drawn == every else f" (estimated from {peer.n_drawn:,} of them)"
    )
    return (
        f"the subsets alone took it {took}, and {peer.peer.peer}, the fastest peer on "
        f"the same table, {estimated(peer.total)}{drawn}, "
        f"{multiple(peer.ratio)} as long"
    )
