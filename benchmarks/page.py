"""docs/performance-tables.md and figures, from a results file alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import lattice, linkage_page, mechanism_page, reconstruction_page
from benchmarks.chapter import PAGE
from benchmarks.comparison import Comparison, comparisons, over_qids
from benchmarks.conclusion import conclusion
from benchmarks.markdown import (
    duration,
    memory,
    peers_table,
    profiles_table,
    steps_table,
)
from benchmarks.method import method
from benchmarks.plots import qids_figure, records_figure
from benchmarks.results import Run
from benchmarks.subject import SUBJECTS, Subject
from microleak.base.errors import MicroleakError
from microleak.base.files import write_text
from microleak.base.paths import ROOT


def write_pages(runs: Mapping[str, Run], folder: Path) -> None:
    """Write the page of all tables and each run's figures into a folder.

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
    for run in ordered:
        for name, svg in _figures(run).items():
            write_text(folder / name, svg)
    text = page(ordered)
    for further in (reconstruction_page, mechanism_page, linkage_page, lattice):
        text = further.CHAPTER.put(text, folder)
    write_text(folder / PAGE, text)


def page(runs: Sequence[Run]) -> str:
    """Return the page's Markdown, a chapter a run, in the order of the runs."""
    parts = [_head(runs), *(_chapter(run) for run in runs), method(runs)]
    return "\n\n".join(parts) + "\n"


def _head(runs: Sequence[Run]) -> str:
    twins = dict.fromkeys(f"the {SUBJECTS[run.subject].twin}" for run in runs)
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


def _chapter(run: Run) -> str:
    subject = SUBJECTS[run.subject]
    parts = [
        f"## {run.scale.capitalize()}: {run.n_records:,} {subject.records}",
        conclusion(run),
        _task(run, subject),
        _where(run),
        "### From the raw release to the table",
        f"{run.twin_size:,} {subject.units}, {run.n_rows:,} rows, {len(run.qids)} QIDs "
        f"and {len(run.sensitive)} sensitive. {subject.note}",
        steps_table(run.way_in),
        "### microleak",
        _own(run),
        profiles_table(run.profiles),
        "From the profiles to every table of measures:",
        steps_table([run.measure]),
        "### Peers on the same tables",
        peers_table(run),
        _notes(run),
        "### How the time grows",
        *_pictures(run),
    ]
    return "\n\n".join(parts)


def _task(run: Run, subject: Subject) -> str:
    study = subject.study.relative_to(ROOT).as_posix()
    sensitive = (
        f"{name} ({n:,} values)"
        for name, n in zip(run.sensitive, run.n_values, strict=True)
    )
    return (
        f"The study is [{study}](../{study}), without groups of values. QIDs: "
        f"{', '.join(run.qids[: run.n_study_qids])}. Sensitive: {', '.join(sensitive)}."
    )


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
    same = "the same bytes" if run.is_same_bytes else "NOT the same bytes"
    memories = {time.memory_mib for time in run.profiles}
    less = ", and with less memory," if len(memories) > 1 else ""
    return (
        "From the table, as text, to the profiles of all subsets on disk: reading, "
        f"coding, counting and writing.{median} One thread and {run.n_threads} "
        f"threads{less} wrote {same}."
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
    largest = {
        found.peer.peer: found
        for found in sorted(comparisons(run), key=lambda one: one.peer.n_records)
        if found.total
    }
    return [
        _in_proportion(found, run)
        for found in largest.values()
        if found.peer.n_records < run.n_records
    ]


def _in_proportion(found: Comparison, run: Run) -> str:
    assert found.total
    factor = run.n_records / found.peer.n_records
    return (
        f"{found.peer.peer} was measured on {found.peer.n_records:,} records. In "
        f"proportion to the records, which leaves out that sorting takes longer, "
        f"{run.n_records:,} would take it {duration(factor * found.total.total_s)}."
    )


def _figures(run: Run) -> dict[str, str]:
    """Return a run's figures by file name; over QIDs only if there is a series."""
    figures = {f"performance-records-{run.scale}.svg": records_figure(run)}
    if len(over_qids(run)) > 1:
        figures[f"performance-qids-{run.scale}.svg"] = qids_figure(run)
    return figures


def _pictures(run: Run) -> list[str]:
    """Return a run's figures as Markdown."""
    pictures = [f"![Time over records](performance-records-{run.scale}.svg)"]
    if len(over_qids(run)) > 1:
        pictures += [
            f"![Time over QIDs](performance-qids-{run.scale}.svg)",
            f"The QIDs join in this order: {', '.join(run.qids)}.",
        ]
    return pictures
