"""Which values of an attribute are most exposed, where not all are walked."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from microleak.base.progress import tell_no_progress, told_by
from microleak.definitions.profile import LEAST_NAMED
from microleak.kernels.keys import MOST_MARKED
from microleak.kernels.tally import ONE_VALUE
from microleak.kernels.walk import walk_crossed
from microleak.records.chunks import Chunks
from microleak.records.coding import (
    Classes,
    Dictionary,
    SingleValue,
    coded_with,
    most_frequent,
    texts_of,
)
from microleak.records.memory import Memory


def exposed_values(
    chunks: Chunks,
    known: Mapping[str, Dictionary],
    qids: Sequence[str],
    name: str,
    memory: Memory,
) -> list[SingleValue]:
    """Return a missing value, if there is one, and the most exposed of all others.

    Those come first of which the largest share of those who have them is known for
    certain to somebody who knows all QIDs; of these the rarest, of these the first as
    text. The most frequent value is none of them, nor is one that fewer than
    `LEAST_NAMED` have: it may be a name. At most as many as are walked with it at once.
    """
    texts = texts_of(known[name].values)
    numbers = {text: number for number, text in enumerate(texts)}
    classes = Classes(name, numbers, 0, len(texts))
    with told_by(lambda _: None):  # of identifiers, which all records tell of
        records = coded_with(chunks, known, qids, [name, classes])
    every = np.array([(1 << len(qids)) - 1], dtype=np.int64)
    work = memory.work(records, tell_no_progress)
    ((_, (what, _, value, _, n_members)),) = walk_crossed(records, every, work)
    is_certain = what == ONE_VALUE
    n_certain = np.zeros(len(texts), dtype=np.int64)
    np.add.at(n_certain, value[is_certain], n_members[is_certain])
    most = most_frequent(known, name).text
    counts = known[name].counts.tolist()
    ranked = sorted(
        (Fraction(-certain, count), count, text)
        for text, count, certain in zip(texts, counts, n_certain.tolist(), strict=True)
        if certain and count >= LEAST_NAMED and text not in {None, most}
    )
    missing: list[str | None] = [None] * (None in texts and most is not None)
    n_left = MOST_MARKED - 1 - len(missing)
    found = [*missing, *(text for *_, text in ranked[:n_left])]
    return [SingleValue(name, text) for text in found]
