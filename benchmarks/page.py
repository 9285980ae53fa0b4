"""docs/performance.md and its figures, from a results file alone."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.comparison import Comparison, comparisons
from benchmarks.markdown import (
    duration,
    memory,
    peers_table,
    profiles_table,
    steps_table,
)
from benchmarks.peers import PEERS
from benchmarks.plots import qids_figure, records_figure
from benchmarks.process import FINISHED
from benchmarks.results import Run
from benchmarks.scale import NATIONAL
from microleak.errors import MicroleakError
from microleak.files import write_text

RECORDS, QIDS = "performance-records.svg", "performance-qids.svg"


def write_pages(runs: Mapping[str, Run], folder: Path) -> None:
    """Write performance.md and its two figures into a folder.

    The figure over records shows the largest run, that over QIDs the run with
    most of them.

    Raises
    ------
    MicroleakError
        If there is no run.
    """
    if not runs:
        raise MicroleakError(
            "There are no results to write a page from. Run `python -m benchmarks "
            "small` first, or name a results file with --results."
        )
    ordered = sorted(runs.values(), key=lambda run: -run.n_records)
    write_text(folder / RECORDS, records_figure(ordered[0]))
    write_text(folder / QIDS, qids_figure(_with_most_qids(ordered)))
    write_text(folder / "performance.md", page(ordered))


def page(runs: list[Run]) -> str:
    """Return the page's Markdown; runs come from the largest to the smallest."""
    parts = [_HEAD, *(_run(run) for run in runs), _figures(runs), _method(runs)]
    return "\n\n".join(parts) + "\n"


def _with_most_qids(runs: list[Run]) -> Run:
    return max(runs, key=lambda run: max(time.n_qids for time in run.profiles))


_HEAD = """\
# Performance

Written by `python -m benchmarks page` from [performance.json](performance.json); \
do not edit it. The students are **synthetic**: the twin of the School Census 2018 \
([twin.md](twin.md)), whose blocks are calibrated to the published ones.

The task is that of the default study: for every subset of the QIDs, the blocks, \
the records alone in theirs and, for two sensitive attributes, the sum of the \
modal counts and the records inferred with certainty. microleak also writes the \
full histograms from which all its measures follow; the peers are only asked for \
the counts."""


def _run(run: Run) -> str:
    parts = [
        f"## {run.scale.capitalize()}: {run.n_records:,} students",
        _where(run),
        "### From the raw release to one record a person",
        f"{run.schools:,} schools, {run.n_rows:,} rows, {len(run.qids)} QIDs and "
        f"{len(run.sensitive)} sensitive attributes. `synthesise` makes the zipped "
        "release and is not part of a study of a real one.",
        steps_table(run.way_in),
        "### microleak",
        _own(run),
        profiles_table(run.profiles),
        "From the profiles to every table of measures:",
        steps_table([run.measure]),
        "### Peers on the same tables",
        peers_table(run),
        _notes(run),
    ]
    return "\n\n".join(parts)


def _where(run: Run) -> str:
    on = run.machine
    return (
        f"{run.date}; {on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB, "
        f"{on['system']}. A process that takes more than {run.memory_gib:g} GiB or "
        f"{duration(run.time_limit_s)} does not finish. "
        + ", ".join(f"{name} {version}" for name, version in run.versions.items())
        + "."
    )


def _own(run: Run) -> str:
    repeats = max(len(time.all_wall_s) for time in run.profiles)
    median = f" Medians of {repeats} runs." if repeats > 1 else " One run each."
    same = "the same bytes" if run.is_same_on_one_thread else "NOT the same bytes"
    return (
        "From one record a person, as text, to the profiles of all subsets on disk: "
        f"reading, coding, counting and writing.{median} "
        f"It was told to keep to {run.profile_mib:,} MiB. One thread and "
        f"{run.n_threads} threads wrote {same}."
    )


def _notes(run: Run) -> str:
    compared = sum(peer.n_compared for peer in run.peers)
    identical = sum(peer.n_identical for peer in run.peers)
    notes = [
        f"Counts were identical in {identical:,} of {compared:,} comparisons of a "
        "subset.",
        "A ratio is the peer's time for all subsets, without reading the table, over "
        "microleak's whole time for the same records.",
        f"Turning the whole table into integers for the peers took "
        f"{duration(run.codes.wall_s)} and {memory(run.codes.peak_mib)}; it is not "
        "counted against them, but is part of microleak's time.",
        *_extrapolated(run),
    ]
    return "\n".join(f"- {note}" for note in notes)


def _extrapolated(run: Run) -> list[str]:
    """Say how long peers that did not count the whole table would take at least."""
    finished = [peer for peer in run.peers if peer.status == FINISHED]
    whole = {peer.peer for peer in finished if peer.n_records == run.n_records}
    return [
        _in_proportion(found, run)
        for found in comparisons(run)
        if found.peer.peer not in whole and found.total
    ]


def _in_proportion(found: Comparison, run: Run) -> str:
    assert found.total
    factor = run.n_records / found.peer.n_records
    return (
        f"{found.peer.peer} was measured on {found.peer.n_records:,} records. In "
        f"proportion to the records, which leaves out that sorting takes longer, "
        f"{run.n_records:,} would take it {duration(factor * found.total.total_s)}."
    )


def _figures(runs: list[Run]) -> str:
    most = _with_most_qids(runs)
    return f"""\
## How the time grows

![Time over records]({RECORDS})

![Time over QIDs]({QIDS})

The first figure shows the {runs[0].scale} run, the second the {most.scale} run. \
The QIDs join in this order: {", ".join(most.qids)}."""


def _method(runs: list[Run]) -> str:
    return f"""\
## Method

- **One process a measurement.** Each starts afresh, is bound to the cores it may \
use and ends before the next begins. The clock starts after Python and the packages \
are loaded. Peak memory is the kernel's (VmHWM), with libraries.
- **Warm, on both sides.** Tables are in the system's file cache; Numba compiled in \
a run that is not counted; a peer's first count is not counted either.
- **Codes for the peers.** They get integers of the smallest type that holds them, \
made beforehand. A missing value has a code of its own, as libraries differ in what \
they do with missing values; a study of theirs would need the same.
- **Draws of subsets.** Where a peer does not run all subsets, they are drawn by \
size, in proportion and at least two of a size, with a fixed seed. The total is the \
sum over sizes of the mean time times the number of subsets, ± its standard error. \
microleak always runs all.
- **Fewer records** are the first of the table, which is sorted by made-up numbers \
of the students: a random draw of them over the whole country, in which more are \
unique than in a country of that size. microleak's figures at that number of \
records are in the same table.
- **Identical counts** means: of the subsets a peer ran, those in which every count \
it computes is microleak's, integer by integer. Shares are turned into counts k/n; \
one that is no whole k stops the benchmark.
- **Ties to the machine.** A ratio compares two figures of one run of this program. \
pandas, bvmlib and privattacks use one core: look at the ratio to one thread.

| peer | how it counts |
|---|---|
{_how(runs)}

Repeat it with `make bench` (minutes) or `make bench-national` (hours; \
{NATIONAL.schools:,} schools)."""


def _how(runs: list[Run]) -> str:
    used = {peer.peer for run in runs for peer in run.peers}
    rows = [f"| {name} | {PEERS[name].how} |" for name in PEERS if name in used]
    return "\n".join(rows)
