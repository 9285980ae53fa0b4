"""What the page says of a run: totals of the peers and ratios to microleak."""

from dataclasses import dataclass

from benchmarks.process import FINISHED
from benchmarks.results import PeerTime, ProfileTime, Run
from benchmarks.sample import Estimate, all_subsets


@dataclass(frozen=True)
class Comparison:
    """A peer against microleak on the same records.

    Attributes
    ----------
    peer
        What was measured.
    n_drawn
        Subsets that the peer ran.
    total
        Seconds for all subsets, or None if the peer did not finish.
    ratio, ratio_one
        That total over microleak's time on all threads, and on one; None where
        either did not finish.
    """

    peer: PeerTime
    n_drawn: int
    total: Estimate | None
    ratio: float | None
    ratio_one: float | None


def comparisons(run: Run) -> tuple[Comparison, ...]:
    """Return every peer of a run against microleak, in the order they ran."""
    return tuple(_comparison(peer, run) for peer in run.peers)


def fastest(run: Run) -> Comparison | None:
    """Return the peer that is done first with the whole table, if one is at all."""
    done = {
        found.total.total_s: found
        for found in comparisons(run)
        if found.total and found.peer.n_records == run.n_records
    }
    return done[min(done)] if done else None


def _comparison(peer: PeerTime, run: Run) -> Comparison:
    if peer.status != FINISHED:
        return Comparison(peer, 0, None, None, None)
    total = all_subsets(peer.seconds)
    return Comparison(
        peer,
        sum(map(len, peer.seconds)),
        total,
        _over(total, own_time(run, peer.n_records, run.n_threads)),
        _over(total, own_time(run, peer.n_records, 1)),
    )


def _over(total: Estimate, own: ProfileTime | None) -> float | None:
    if own is None or own.status != FINISHED:
        return None
    return total.total_s / own.wall_s


def own_time(run: Run, n_records: int, n_threads: int) -> ProfileTime | None:
    """Return microleak's profile of the study's QIDs, or None if not measured."""
    wanted = (n_records, run.n_study_qids, n_threads)
    for time in _usual(run):
        if (time.n_records, time.n_qids, time.n_threads) == wanted:
            return time
    return None


def over_records(run: Run) -> tuple[ProfileTime, ...]:
    """Return microleak's series over records, ascending."""
    return tuple(
        time
        for time in sorted(_usual(run), key=lambda time: time.n_records)
        if (time.n_qids, time.n_threads) == (run.n_study_qids, run.n_threads)
    )


def over_qids(run: Run) -> tuple[ProfileTime, ...]:
    """Return microleak's series over QIDs on the whole table, ascending."""
    return tuple(
        time
        for time in sorted(_usual(run), key=lambda time: time.n_qids)
        if (time.n_records, time.n_threads) == (run.n_records, run.n_threads)
    )


def _usual(run: Run) -> list[ProfileTime]:
    """Return what was measured with the memory that the workflow gives."""
    return [time for time in run.profiles if time.memory_mib == run.profile_mib]
