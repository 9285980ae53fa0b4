"""Both releases coded alike: attributes of one role as one number, who is who."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.section import ESTIMATED, Linkage
from microleak.base.arrays import BitWords
from microleak.base.errors import TableError
from microleak.kernels.spilled_rows import are_even
from microleak.records.alike import (
    Coded,
    PartnerRows,
    Word,
    coded_alike,
    partner_rows,
    word_of,
)
from microleak.records.chunks import Given
from microleak.records.memory import Memory


@dataclass(frozen=True)
class Both:
    """Two releases coded alike."""

    # The releases
    focal: Coded
    auxiliary: Coded
    # The attributes of each role as a number
    stable: Word
    drifting: Word
    qids: Word
    n_in_group: int
    are_apart: bool  # Whether blocks of different groups have no QIDs in common
    # Of each auxiliary record the focal row of the same person, -1 without one
    partner: PartnerRows | None

    @property
    def linking(self) -> tuple[str, ...]:
        """The attributes by which records are linked, stable ones first."""
        return *self.stable.names, *self.drifting.names


def both_of(
    focal: Given, auxiliary: Given, analysis: Linkage, memory: Memory
) -> tuple[Both, Memory]:
    """Return two releases coded alike, and the memory that is left to work."""
    of_focal = tuple(dict.fromkeys((*analysis.common, *analysis.sensitive)))
    releases = {
        analysis.focal: (focal, of_focal),
        analysis.linked: (auxiliary, analysis.common),
    }
    with ThreadPoolExecutor(1) as pool:
        # Who is who is found while values are counted.
        partner = None
        if analysis.person_id is not None:
            partner = pool.submit(partner_rows, focal, auxiliary, analysis.person_id)
        (first, second), memory = coded_alike(releases, memory, analysis.recodings)
    for name in analysis.stable:
        _refuse_different(first, second, (name, "stable"), analysis)
    if analysis.transition == ESTIMATED:
        for name in analysis.drifting:
            _refuse_different(first, second, (name, "drifting"), analysis)
    known = [name for name in analysis.stable if name in analysis.qids]
    others = [name for name in analysis.stable if name not in analysis.qids]
    most = [int((first.counts[n] + second.counts[n]).max()) for n in known]
    are_apart = not others or (bool(known) and are_even(min(most)))
    roles = {
        "stable": (*known, *others) if are_apart else analysis.stable,
        "drifting": analysis.drifting,
        "qids": analysis.qids,
    }
    words = {
        role: word_of(role, names, first, memory.where) for role, names in roles.items()
    }
    n_in_group = prod(words["stable"].n_codes[len(known) :]) if are_apart else 1
    both = Both(
        first,
        second,
        partner=None if partner is None else partner.result(),
        n_in_group=n_in_group,
        are_apart=are_apart,
        **words,
    )
    return both, memory


def read_words(
    both: Both, release: str, others: Sequence[str]
) -> Iterator[tuple[list[BitWords], list[NDArray[np.uint32]]]]:
    """Yield stable, drifting and QIDs as numbers, and the codes of others."""
    roles = (both.stable, both.drifting, both.qids)
    names = [name for role in roles for name in role.names]
    names = list(dict.fromkeys([*names, *others]))
    for each in getattr(both, release).read(names):
        code_of = dict(zip(names, each, strict=True))
        words = [
            role.packed([code_of[name] for name in role.names])
            if role.names
            else np.zeros(len(each[0]), dtype=np.uint64)
            for role in roles
        ]
        yield words, [code_of[name].astype(np.uint32) for name in others]


def _refuse_different(
    first: Coded, second: Coded, what: tuple[str, str], analysis: Linkage
) -> None:
    name, role = what
    if not ((first.counts[name] > 0) & (second.counts[name] > 0)).any():
        counted = " count its changes (transition: identifiers),"
        is_recoded = any(name in each for each in analysis.recodings.values())
        common = (
            "Correct its common values (recoded)"
            if is_recoded
            else "Give common values of its codes (recoded)"
        )
        raise TableError(
            f"analysis {analysis.name!r}: {name} is {role}, but {analysis.focal} and "
            f"{analysis.linked} have no value of it in common, so that it has another "
            f"coding there. {common},{counted * (role != 'stable')} or remove it from "
            f"{role} in the study file."
        )
