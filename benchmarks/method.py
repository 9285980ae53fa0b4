"""How the figures of the page were measured, in words."""

from collections.abc import Sequence

from benchmarks.peers import PEERS
from benchmarks.results import Run


def method(runs: Sequence[Run]) -> str:
    """Return the last chapter, with the peers that ran."""
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
- **Fewer records** are a random draw of the whole table, in which more are unique \
than in a country or a state of that size. microleak's figures at that number of \
records are in the same chapter.
- **Identical counts** means: of the subsets a peer ran, those in which every count \
it computes is microleak's, integer by integer. Shares are turned into counts k/n; \
one that is no whole k stops the benchmark.
- **Ties to the machine.** A ratio compares two figures of one run of this program. \
pandas, bvmlib and privattacks use one core: look at the ratio to one thread.

| peer | how it counts |
|---|---|
{_how(runs)}

Repeat it with `make bench` (minutes), `make bench-outpatient` (half an hour, and 55 \
GB of disk for a while) or `make bench-national` (hours)."""


def _how(runs: Sequence[Run]) -> str:
    used = {peer.peer for run in runs for peer in run.peers}
    rows = [f"| {name} | {PEERS[name].how} |" for name in PEERS if name in used]
    return "\n".join(rows)
