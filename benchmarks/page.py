"""docs/performance-tables.md and its figures, from results files beside it alone."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.chapters import CHAPTERS
from benchmarks.markdown import duration, memory, multiple, table
from benchmarks.peers import PEERS
from benchmarks.plots import over_qids, qids_figure, records_figure
from benchmarks.process import FINISHED
from benchmarks.results import Found, load
from benchmarks.sample import Estimate, all_subsets
from benchmarks.subject import SUBJECTS
from microleak.base.errors import MicroleakError
from microleak.base.files import write_text
from microleak.base.paths import ROOT

RESULTS = "performance.json"


def write_page(folder: Path) -> None:
    """Write the page of all tables and each run's figures beside the results."""
    runs = sorted(load(folder / RESULTS).values(), key=lambda run: -run["n_records"])
    if not runs:
        raise MicroleakError(
            "There are no results to write a page from. Run `python -m benchmarks "
            "small` first, or give the folder of results by --folder."
        )
    for run in runs:
        ending = f"{run['scale']}.svg"
        write_text(folder / f"performance-records-{ending}", records_figure(run))
        if len(over_qids(run)) > 1:
            write_text(folder / f"performance-qids-{ending}", qids_figure(run))
    further = {name: load(folder / f"performance-{name}.json") for name in CHAPTERS}
    parts = [
        _head(runs),
        *map(_chapter, runs),
        *(_further(name, found) for name, found in further.items() if found),
        _method(runs),
    ]
    write_text(folder / "performance-tables.md", "\n\n".join(parts) + "\n")


def _head(runs: Sequence[Found]) -> str:
    twins = dict.fromkeys(f"the {SUBJECTS[run['subject']].twin}" for run in runs)
    return f"""\
# All tables of the benchmarks

Written by `python -m benchmarks page` from [performance.json](performance.json); \
[performance.md](performance.md) has a choice of it. All records are **synthetic**, \
made by the twins ([twin.md](twin.md)) of {"; and of ".join(twins)}.

The task is that of a study: for every subset of the QIDs, the blocks, the records \
alone in theirs and, for each sensitive attribute, the sum of the modal counts and \
the records inferred with certainty. microleak also writes the full histograms from \
which all its measures follow; the peers are only asked for the counts.

Each chapter names the engine that it measured, by a fingerprint of its code. The \
code has changed since if the command in performance.md shows another."""


def _on(found: Found) -> str:
    on = found["machine"]
    return (
        f"{found['date']}; {on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB, "
        f"{on['system']}."
    )


def _versions(found: Found) -> str:
    return ", ".join(f"{name} {number}" for name, number in found["versions"].items())


def _further(name: str, found: Found) -> str:
    title, text = CHAPTERS[name]
    return f"## {title}\n\n{_on(found)} {_versions(found)}.\n\n{text(found['taken'])}"


def _chapter(run: Found) -> str:
    subject = SUBJECTS[run["subject"]]
    study = subject.study.relative_to(ROOT).as_posix()
    qids = run["qids"]
    sensitive = (
        f"{name} ({n:,} values)"
        for name, n in zip(run["sensitive"], run["n_values"], strict=True)
    )
    return "\n\n".join(
        [
            f"## {run['scale'].capitalize()}: {run['n_records']:,} {subject.records}",
            _conclusion(run),
            f"The study is [{study}](../{study}), without groups of values. QIDs: "
            f"{', '.join(qids[: run['n_study_qids']])}. Sensitive: "
            f"{', '.join(sensitive)}.",
            f"{_on(run)} A process that takes more than {run['memory_gib']:g} GiB or "
            f"{duration(run['time_limit_s'])} does not finish. {_versions(run)}.",
            "### From the raw release to the table",
            f"{run['twin_size']:,} {subject.units}, {run['n_rows']:,} rows, "
            f"{len(qids)} QIDs and {len(run['sensitive'])} sensitive. {subject.note}",
            _steps(run["way_in"]),
            "### microleak",
            _own(run),
            table(
                "records | QIDs | subsets | threads | told to keep to | time | "
                "per million records | processor time | peak memory | file",
                map(_profile, run["profiles"]),
            ),
            "From the profiles to every table of measures:",
            _steps([run["measure"]]),
            "### Peers on the same tables",
            table(
                "peer | records | subsets run | all subsets | "
                f"ratio, {run['n_threads']} threads | ratio, 1 thread | reading | "
                "peak memory | identical counts",
                (_peer(peer, run) for peer in run["peers"]),
            ),
            _notes(run),
            "### How the time grows",
            f"![Time over records](performance-records-{run['scale']}.svg)",
            *_over_qids(run),
        ]
    )


def _over_qids(run: Found) -> list[str]:
    if len(over_qids(run)) < 2:
        return []
    return [
        f"![Time over QIDs](performance-qids-{run['scale']}.svg)",
        f"The QIDs join in this order: {', '.join(run['qids'])}.",
    ]


def _conclusion(run: Found) -> str:
    """Say how many records and subsets took what, also the fastest peer."""
    own = own_time(run, run["n_records"], run["n_threads"])
    assert own  # a run without it has no measure step, and ends with an error
    # A study of a real release has no twin to make.
    parts = [s for s in run["way_in"] if s["name"] != "synthesise"]
    parts += [own, run["measure"]]
    every, n_qids = 2 ** run["n_study_qids"] - 1, run["n_study_qids"]
    took = f"{duration(own['wall_s'])} and {memory(own['peak_mib'])}"
    return (
        f"From the raw release to the tables of success of {run['n_records']:,} "
        f"{SUBJECTS[run['subject']].records} and all {every:,} subsets of {n_qids} "
        f"QIDs, microleak took {duration(sum(part['wall_s'] for part in parts))} on "
        f"{run['n_threads']} cores and at most "
        f"{memory(max(part['peak_mib'] for part in parts))}; the subsets alone took "
        f"{_subsets(run, took)}."
    )


def _subsets(run: Found, took: str) -> str:
    """Say what the subsets alone took, and the fastest peer of the whole table."""
    done = [
        (total.total_s, peer)
        for peer in run["peers"]
        if peer["n_records"] == run["n_records"] and (total := total_of(peer))
    ]
    if not done:
        return f"{took}, and no peer finished the whole table"
    _, peer = min(done, key=lambda pair: pair[0])
    total, n_drawn = total_of(peer), n_run(peer)
    assert total
    is_whole = n_drawn == 2 ** run["n_study_qids"] - 1
    drawn = "" if is_whole else f" (estimated from {n_drawn:,} of them)"
    return (
        f"it {took}, and {peer['peer']}, the fastest peer on the same table, "
        f"{_estimated(total)}{drawn}, "
        f"{multiple(ratio(peer, run, run['n_threads']))} as long"
    )


def own_time(run: Found, n_records: int, n_threads: int) -> Found | None:
    """Return microleak's profile of the study's QIDs in the usual memory, if any."""
    wanted = {"n_records": n_records, "n_threads": n_threads}
    wanted |= {"n_qids": run["n_study_qids"], "memory_mib": run["profile_mib"]}
    return next((p for p in run["profiles"] if wanted.items() <= p.items()), None)


def total_of(peer: Found) -> Estimate | None:
    """Return the seconds of a peer for all subsets, or None if it did not finish."""
    return all_subsets(peer["seconds"]) if peer["status"] == FINISHED else None


def n_run(peer: Found) -> int:
    """Count the subsets that a peer ran."""
    return sum(map(len, peer["seconds"]))


def ratio(peer: Found, run: Found, n_threads: int) -> float | None:
    """Return a peer's time over microleak's, or None where either did not finish."""
    total, own = total_of(peer), own_time(run, peer["n_records"], n_threads)
    if total is None or own is None or own["status"] != FINISHED:
        return None
    return total.total_s / float(own["wall_s"])


def _steps(steps: Sequence[Found]) -> str:
    return table(
        "step | time | processor time | peak memory",
        (
            [
                step["name"],
                duration(step["wall_s"]),
                duration(step["cpu_s"]),
                memory(step["peak_mib"]),
            ]
            for step in steps
        ),
    )


def _own(run: Found) -> str:
    repeats = max(len(time["all_wall_s"]) for time in run["profiles"])
    median = f" Medians of {repeats} runs." if repeats > 1 else " One run each."
    same = "the same bytes" if run["is_same_bytes"] else "NOT the same bytes"
    memories = {time["memory_mib"] for time in run["profiles"]}
    less = ", and with less memory," if len(memories) > 1 else ""
    return (
        "From the table, as text, to the profiles of all subsets on disk: reading, "
        f"coding, counting and writing.{median} One thread and {run['n_threads']} "
        f"threads{less} wrote {same}."
    )


def _profile(time: Found) -> list[str]:
    n_qids = time["n_qids"]
    numbers = (time["n_records"], n_qids, 2**n_qids - 1, time["n_threads"])
    which = [*(f"{number:,}" for number in numbers), f"{time['memory_mib']:,} MiB"]
    if time["status"] != FINISHED:
        return [*which, "did not finish", "", "", "", ""]
    return [
        *which,
        duration(time["wall_s"]),
        duration(time["wall_s"] / time["n_records"] * 1e6),
        duration(time["cpu_s"]),
        memory(time["peak_mib"]),
        memory(time["profiles_mib"]),
    ]


def _peer(peer: Found, run: Found) -> list[str]:
    which, total = [peer["peer"], f"{peer['n_records']:,}"], total_of(peer)
    if total is None:
        return [*which, "", f"did not finish ({peer['status']})", *[""] * 5]
    return [
        *which,
        f"{n_run(peer):,} of {2 ** run['n_study_qids'] - 1:,}",
        _estimated(total),
        multiple(ratio(peer, run, run["n_threads"])),
        multiple(ratio(peer, run, 1)),
        duration(peer["open_s"]),
        memory(peer["peak_mib"]),
        f"{peer['n_identical']:,} of {peer['n_compared']:,}",
    ]


def _estimated(total: Estimate) -> str:
    """Write seconds and, where not all subsets were measured, their standard error."""
    if total.error_s == 0:
        return duration(total.total_s)
    share = 100 * total.error_s / total.total_s
    return f"{duration(total.total_s)} ± {share:.1f}%"


def _notes(run: Found) -> str:
    compared = sum(peer["n_compared"] for peer in run["peers"])
    identical = sum(peer["n_identical"] for peer in run["peers"])
    codes = run["codes"]
    notes = [
        f"Counts were identical in {identical:,} of {compared:,} comparisons of a "
        "subset.",
        "A ratio is the peer's time for all subsets, without reading the table, over "
        "microleak's whole time for the same records.",
        f"Turning the whole table into integers for the peers took "
        f"{duration(codes['wall_s'])} and {memory(codes['peak_mib'])}; it is not "
        "counted against them, but is part of microleak's time.",
        *_extrapolated(run),
    ]
    return "\n".join(f"- {note}" for note in notes)


def _extrapolated(run: Found) -> list[str]:
    """Say how long peers that did not count the whole table would take at least."""
    peers = sorted(run["peers"], key=lambda peer: int(peer["n_records"]))
    done = ((peer, total) for peer in peers if (total := total_of(peer)))
    largest = {peer["peer"]: (peer, total) for peer, total in done}
    return [
        f"{name} was measured on {peer['n_records']:,} records. In proportion to the "
        f"records, which leaves out that sorting takes longer, {run['n_records']:,} "
        "would take it "
        f"{duration(run['n_records'] / peer['n_records'] * total.total_s)}."
        for name, (peer, total) in largest.items()
        if peer["n_records"] < run["n_records"]
    ]


def _method(runs: Sequence[Found]) -> str:
    used = {peer["peer"] for run in runs for peer in run["peers"]}
    how = [f"| {name} | {PEERS[name].how} |" for name in PEERS if name in used]
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
{chr(10).join(how)}

Repeat it with `make bench` (minutes), `make bench-outpatient` (half an hour, and 55 \
GB of disk for a while) or `make bench-national` (hours)."""
