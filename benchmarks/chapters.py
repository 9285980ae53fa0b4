"""Chapters of the page that programs of their own measure, from their results."""

from collections.abc import Callable
from statistics import median

from benchmarks.markdown import duration, memory, multiple, table
from benchmarks.process import FINISHED, TIME
from benchmarks.results import Found

OURS = "microleak"


def _lattice(taken: list[Found]) -> str:
    ours = [each for each in taken if each["program"] == OURS]
    peers = [each for each in taken if each["program"] != OURS]
    all_nodes = [
        peer["wall_s"] * one["n_nodes"] / peer["n_nodes"]
        for one, peer in zip(ours, peers, strict=True)
    ]
    pairs = zip(all_nodes, ours, strict=True)
    ratios = [f"{seconds / one['wall_s']:.0f}" for seconds, one in pairs]
    return "\n\n".join(
        [
            "Written by `python -m benchmarks.lattice`. A search for the smallest "
            f"protection of {ours[0]['n_records']:,} made-up records counts all "
            f"{ours[0]['n_nodes']:,} nodes of a lattice of nine QIDs, with one "
            "sensitive attribute: blocks, the smallest of them, records alone, "
            "records known for certain, records guessed right, and the fewest values "
            "of a block. Independent QIDs, whose values are all as frequent, are the "
            "worst case; skewed ones are as a survey's, with few frequent values. "
            f"Cores used: {ours[0]['n_threads']}. Time is from a Parquet file on.",
            "One group-by a node takes, in proportion to the "
            f"{peers[0]['n_nodes']} nodes that were counted, "
            f"{' and '.join(map(duration, all_nodes))} for all nodes: "
            f"{' and '.join(ratios)} times as long. ARX reports 2.2 s for "
            "*k*-anonymity alone on a survey of this size with as many nodes, and 51 "
            "to 60 s with suppression, on another machine: its algorithm (Flash) "
            "leaves nodes out that it can decide, and counts no other measure.",
            table(
                "records | program | nodes | time | of processors | peak memory",
                (
                    [
                        one["kind"],
                        one["program"],
                        f"{one['n_nodes']:,}",
                        duration(one["wall_s"]),
                        duration(one["cpu_s"]),
                        memory(one["peak_mib"]),
                    ]
                    for one in taken
                ),
            ),
        ]
    )


def _linkage(taken: list[Found]) -> str:
    of = {(e["program"], e["n_records"]): e for e in taken if e["status"] == FINISHED}
    compared = [
        f"Splink took {peer['wall_s'] / of[OURS, n]['wall_s']:.1f} times as long at "
        f"{n:,} records, {peer['cpu_s'] / of[OURS, n]['cpu_s']:.1f} times as long in "
        f"seconds of processors; F1 was {_f1(peer):.4f}, and microleak's "
        f"{_f1(of[OURS, n]):.4f}."
        for (program, n), peer in of.items()
        if program != OURS and (OURS, n) in of
    ]
    return "\n\n".join(
        [
            "Written by `python -m benchmarks.linkage`. Two releases of as many "
            "records, 85 % of the persons in both; about four persons agree in what is "
            "stable (birth, sex, birthplace), and two attributes drift. Neither "
            "program sees the identifier, which says afterwards which links are right. "
            "Time is from the Parquet files on, with learning; that of microleak "
            "includes success by the QIDs with one release, with links and with the "
            "identifier. Cores used: "
            f"{' or '.join(map(str, sorted({each['n_threads'] for each in taken})))}.",
            *compared,
            table(
                "program | records a release | time | of processors | peak memory | "
                "precision | recall | F1",
                map(_linked, taken),
            ),
        ]
    )


def _f1(one: Found) -> float:
    """Return the harmonic mean of precision and recall."""
    return float(2 * one["n_right"] / (one["n_links"] + one["n_both"]))


def _linked(one: Found) -> list[str]:
    which = [one["program"], f"{one['n_records']:,}"]
    if one["status"] != FINISHED:
        return [*which, f"did not finish ({one['status']})", *[""] * 5]
    n_right = one["n_right"]
    shares = n_right / max(one["n_links"], 1), n_right / one["n_both"], _f1(one)
    times = duration(one["wall_s"]), duration(one["cpu_s"]), memory(one["peak_mib"])
    return [*which, *times, *(f"{share:.4f}" for share in shares)]


def _mechanism(taken: list[Found]) -> str:
    return "\n\n".join(
        [
            "Written by `python -m benchmarks.mechanism`; seconds of one processor "
            "core. From a table of counts, as a "
            "study has it of the records, to privacy loss and utility of one count "
            "of a fifth of the useful values, with one epsilon. A local mechanism's "
            "chances, of whole numbers, take most of the time: they grow with the "
            "squared number of useful values and, as the numbers have more digits the "
            "more values there are, faster still; those of a decimal epsilon are the "
            "longest. They are computed once for each epsilon: each of the random "
            "samples takes what the last column but one says.",
            table(
                "model | records | sensitive values | useful values | epsilon | "
                "all records | each further sample | peak memory",
                map(_noisy, taken),
            ),
        ]
    )


def _noisy(one: Found) -> list[str]:
    task = one["task"]
    numbers = (task["n_records"], task["n_sensitive"], task["n_useful"])
    which = [task["model"], *(f"{n:,}" for n in numbers), f"`{task['epsilon']}`"]
    if one["status"] != FINISHED:
        return [*which, f"did not finish ({one['status']})", "", ""]
    seconds = (duration(one["first_s"]), duration(one["further_s"]))
    return [*which, *seconds, memory(one["peak_mib"])]


def _reconstruction(taken: list[Found]) -> str:
    repeats = max(len(one["seconds"]) for one in taken)
    return "\n\n".join(
        [
            "Nepomuceno's Tables 1 (`exponential`) and 2 (`linear`), with the settings "
            "that the paper leaves open as they stand here, and larger databases. The "
            "paper's seconds are those of its own computer, a processor of 2.3 GHz, "
            "in Table 2 of one of its two linear programs; ours are of both, and "
            "with drawing the database, asking and answering the queries, and "
            f"checking the result: medians of {repeats} databases. The peer is the "
            "attack as one would write it from the paper, on the first of the same "
            "databases: with NumPy, every query answered for every candidate "
            "(`exponential`), and with HiGHS given all rows at once (`linear`). "
            "The ratio is the peer's time over ours.",
            table(
                "attack | n | queries | E | paper | peer | microleak | ratio | "
                "rebuilt exactly | peak memory",
                map(_rebuilt, taken),
            ),
        ]
    )


def _rebuilt(one: Found) -> list[str]:
    task, peer = one["task"], one["peer"]
    paper = f"{task['paper']} s" if task["paper"] else ""
    numbers = f"{task['n']:,}", f"{one['n_queries']:,}"
    which = [task["attack"], *numbers, f"`{task['error']}`", paper]
    if one["status"] != FINISHED:
        return [*which, "", f"did not finish ({one['status']})", "", "", ""]
    seconds, its, ratio = median(one["seconds"]), "", ""
    if peer and peer["status"] == FINISHED:
        its = duration(peer["seconds"]) + ("" if peer["is_exact"] else ", not rebuilt")
        ratio = multiple(peer["seconds"] / seconds)
    elif peer:  # which counts for nothing out of memory
        its = f"more than {duration(peer['seconds'])} ({peer['status']})"
        is_late = peer["status"] == TIME
        ratio = f"> {multiple(peer['seconds'] / seconds)}" if is_late else ""
    rebuilt = f"{one['n_exact']} of {len(one['seconds'])}"
    return [*which, its, duration(seconds), ratio, rebuilt, memory(one["peak_mib"])]


CHAPTERS: dict[str, tuple[str, Callable[[list[Found]], str]]] = {
    "lattice": ("Every node of a lattice", _lattice),
    "linkage": ("Links without an identifier", _linkage),
    "mechanism": ("Noisy counts: privacy loss and utility", _mechanism),
    "reconstruction": (
        "Reconstruction: databases rebuilt from noisy counts",
        _reconstruction,
    ),
}
"""Title and text by the name of the results, in their order on the page."""
