"""Attacks on a protected release whose protection is known, to the tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.known_protection.chances import face_value
from microleak.attacks.known_protection.definitions import Success, values_left
from microleak.attacks.known_protection.inference import inferred
from microleak.attacks.known_protection.releases import (
    Beliefs,
    Releases,
    beliefs_by,
    mean,
)
from microleak.attacks.known_protection.section import KnownProtection
from microleak.base.arrays import Integers, QidMask
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import SLACK, first_places, kind_sums, largest_by
from microleak.protection.methods import DataColumn, blocks_and_sizes
from microleak.protection.protect import coded_columns
from microleak.records.chunks import Given
from microleak.records.memory import Memory
from microleak.records.subsets import names_of, which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.known_protection")


def known_tables(
    before: Given, after: Given, analysis: KnownProtection, resources: Resources
) -> dict[str, pd.DataFrame]:
    """Return the success of the attacks, and the cells that minimality undoes."""
    memory = Memory(resources, f"analysis {analysis.name!r}")
    releases = Releases(
        _columns(before, analysis.before, memory),
        _columns(after, analysis.after, memory),
        analysis,
        memory,
    )
    releases.check_made()
    found: dict[tuple[int, QidMask], Success] = {}
    with progress("weighing what may have been published", len(analysis.subsets)) as on:
        for subset in analysis.subsets:
            for attack, success in enumerate(_successes(releases, subset)):
                found[attack, subset] = success
            on(1)
    rows = {
        "known_protection": _rows(found, releases),
        "undone_cells": _undone(releases),
    }
    return {name: as_table(TABLES[name], of_table) for name, of_table in rows.items()}


def _columns(
    given: Given, names: Sequence[str], memory: Memory
) -> Mapping[str, DataColumn]:
    chunks, _ = memory.chunks(given, max(1, len(names)))
    return coded_columns(chunks, names)


def _successes(releases: Releases, subset: QidMask) -> Iterator[Success]:
    """Yield the success of re-identification, and of each inference."""
    analysis = releases.analysis
    qids = names_of(subset, analysis.qids)
    rows = releases.rows(qids)
    t, _ = blocks_and_sizes([rows.columns[name].codes for name in qids])
    n_of_t = np.bincount(t, rows.n_records).astype(np.int64)
    beliefs, face = beliefs_by(releases, rows, (t, n_of_t), qids)
    yield _reidentified(releases, beliefs, face)
    for name in analysis.sensitive:
        yield inferred(releases, beliefs, face, (qids, name))


def _reidentified(releases: Releases, beliefs: Beliefs, face: Integers) -> Success:
    n_of_t = beliefs.n_of_t
    n_t = len(n_of_t)
    best = beliefs.share(largest_by(beliefs.t, beliefs.weight, n_t))
    possible = kind_sums(beliefs.t, beliefs.size[beliefs.z], n_t)
    is_certain = (possible == 1) & (beliefs.absent < SLACK * beliefs.total)
    is_claimed = (face >= 0) & (beliefs.size[face] == 1)
    # The weight of one record of the z that each t has at face value.
    at_face, is_face = np.zeros(n_t), face[beliefs.t] == beliefs.z
    at_face[beliefs.t[is_face]] = beliefs.weight[is_face]
    right = np.where(is_claimed, beliefs.share(at_face), 0.0)
    return Success(
        prior_prob=1 / releases.n_records,
        posterior_det=mean(is_certain, n_of_t),
        posterior_prob=mean(best, n_of_t),
        posterior_det_before=mean(n_of_t == 1, n_of_t),
        posterior_prob_before=n_t / releases.n_records,
        claimed=mean(is_claimed, n_of_t),
        claimed_right=mean(right, n_of_t),
    )


def _rows(
    found: Mapping[tuple[int, QidMask], Success], releases: Releases
) -> Iterator[dict[str, Any]]:
    analysis = releases.analysis
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        for subset in analysis.subsets:
            success = found[attack, subset]
            yield {
                **which(analysis, names_of(subset, analysis.qids)),
                "release": analysis.release,
                "sensitive": sensitive,
                "n_records": releases.n_records,
                "n_protected": releases.n_protected,
                **vars(success),
                "claims_that_hold": success.claims_that_hold,
            }


def _undone(releases: Releases) -> Iterator[dict[str, Any]]:
    """Yield of each suppressed QID what minimality says of its missing cells."""
    # Of steps that suppress, if no other one changes what they suppress but by labels
    # before, and none draws a sample: then it is not known what there was.
    analysis = releases.analysis
    if any(step.method == "sample" for step in analysis.steps):
        return
    for at, step in enumerate(analysis.steps):
        # Of several sets a missing cell may be of any, which tells less than of one.
        names = step.sets[0] if len(step.sets) == 1 else ()
        drawn = {
            name
            for each in analysis.steps[:at]
            if each.method in {"randomise", "swap", "suppress"}
            for name in each.changed
        }
        others = drawn.union(*(each.named for each in analysis.steps[at + 1 :]))
        if names and not others & {*names} and {*names} <= releases.after.keys():
            rows = [releases.after[name].codes for name in names]
            place, sizes = blocks_and_sizes(rows)
            first = first_places(place, len(sizes))
            each = [column[first].astype(np.int64) for column in rows]
            for own, name in enumerate(names):
                # With a share alone every other block has two records.
                found = values_left(each, sizes, own, step.k or 2)
                of = {"release": analysis.release, "attribute": name}
                cells = _cells(releases, name, sizes, found)
                yield which(analysis, ()) | of | cells


def _cells(
    releases: Releases, name: str, sizes: Integers, found: tuple[Integers, Integers]
) -> dict[str, int | float | None]:
    """Count the cells that are missing, and those of which one value is left."""
    # Someone who knows how many records had which values knows what there was.
    missing, ruled_out = found
    taken = face_value(releases.rows([name]), releases.analysis.recipe).columns[name]
    n_values = len(np.unique(taken.codes))
    left = n_values - ruled_out
    cells = sizes[missing]
    n_cells = int(cells.sum())
    n_missing = int(np.count_nonzero(releases.before[name].codes == 0))
    return {
        "n_cells": n_cells,
        "n_suppressed": n_cells - n_missing,
        "n_values": n_values,
        "mean_values_left": float((cells * left).sum() / n_cells) if n_cells else None,
        "n_undone": int(cells[left == 1].sum()),
    }
