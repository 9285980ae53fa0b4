"""Tables and numbers of the page, as Markdown."""

from collections.abc import Iterable, Sequence

from benchmarks.comparison import Comparison, comparisons
from benchmarks.process import FINISHED
from benchmarks.results import ProfileTime, Run, Step
from benchmarks.sample import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, its first column left, the others right.

    Examples
    --------
    >>> print(table(["a", "b"], [["x", "1"]]))
    | a | b |
    |---|--:|
    | x | 1 |
    """
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text)


def duration(seconds: float) -> str:
    """Write seconds with three figures, as seconds, minutes or hours.

    Examples
    --------
    >>> [duration(s) for s in (0.1234, 42.42, 321, 31980)]
    ['0.123 s', '42.4 s', '5 min 21 s', '8 h 53 min']
    """
    if seconds < 99.95:
        return f"{seconds:#.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


def memory(mib: float) -> str:
    """Write MiB as GiB from one GiB on.

    Examples
    --------
    >>> [memory(mib) for mib in (1.26, 340, 5210)]
    ['1.3 MiB', '340 MiB', '5.1 GiB']
    """
    if mib >= 1024:
        return f"{mib / 1024:.1f} GiB"
    return f"{mib:.0f} MiB" if mib >= 10 else f"{mib:.1f} MiB"


def steps_table(steps: Sequence[Step]) -> str:
    """Return what steps took."""
    head = ["step", "time", "processor time", "peak memory"]
    return table(head, [_step(step) for step in steps])


def _step(step: Step) -> list[str]:
    taken = (duration(step.wall_s), duration(step.cpu_s), memory(step.peak_mib))
    return [step.name, *taken]


def profiles_table(times: Sequence[ProfileTime]) -> str:
    """Return what microleak's profiles took."""
    head = [
        "records",
        "QIDs",
        "subsets",
        "threads",
        "told to keep to",
        "time",
        "per million records",
        "processor time",
        "peak memory",
        "file",
    ]
    return table(head, [_profile(time) for time in times])


def _profile(time: ProfileTime) -> list[str]:
    numbers = (time.n_records, time.n_qids, 2**time.n_qids - 1, time.n_threads)
    which = [*(f"{number:,}" for number in numbers), f"{time.memory_mib:,} MiB"]
    taken = ["did not finish", "", "", "", ""]
    if time.status == FINISHED:
        taken = [
            duration(time.wall_s),
            duration(time.wall_s / time.n_records * 1e6),
            duration(time.cpu_s),
            memory(time.peak_mib),
            memory(time.profiles_mib),
        ]
    return [*which, *taken]


def peers_table(run: Run) -> str:
    """Return what the peers took, and how often as long as microleak."""
    head = [
        "peer",
        "records",
        "subsets run",
        "all subsets",
        f"ratio, {run.n_threads} threads",
        "ratio, 1 thread",
        "reading",
        "peak memory",
        "identical counts",
    ]
    n_subsets = 2**run.n_study_qids - 1
    return table(head, [_peer(found, n_subsets) for found in comparisons(run)])


def _peer(found: Comparison, n_subsets: int) -> list[str]:
    peer = found.peer
    which = [peer.peer, f"{peer.n_records:,}"]
    if found.total is None:
        return [*which, "", f"did not finish ({peer.status})", *[""] * 5]
    return [
        *which,
        f"{found.n_drawn:,} of {n_subsets:,}",
        estimated(found.total),
        multiple(found.ratio),
        multiple(found.ratio_one),
        duration(peer.open_s),
        memory(peer.peak_mib),
        f"{peer.n_identical:,} of {peer.n_compared:,}",
    ]


def estimated(total: Estimate) -> str:
    """Write seconds and, where not all subsets were measured, their standard error.

    Examples
    --------
    >>> estimated(Estimate(60.0, 3.0)), estimated(Estimate(60.0, 0.0))
    ('60.0 s ± 5.0%', '60.0 s')
    """
    if total.error_s == 0:
        return duration(total.total_s)
    share = 100 * total.error_s / total.total_s
    return f"{duration(total.total_s)} ± {share:.1f}%"


def multiple(ratio: float | None) -> str:
    """Write a ratio with three figures, or nothing.

    Examples
    --------
    >>> multiple(12.345), multiple(1234.5), multiple(None)
    ('12.3×', '1,234×', '')
    """
    if ratio is None:
        return ""
    return f"{ratio:,.0f}×" if ratio >= 99.95 else f"{ratio:#.3g}×"
