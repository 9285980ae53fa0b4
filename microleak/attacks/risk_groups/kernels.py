"""Members of groups by what is found and inferred of them, for every QID subset.

The groups are the values of an attribute of the persons, such as race. What their
members' blocks say is added up in the walk over QID subsets (`kernels.tally.Crossed`).
"""

from collections.abc import Iterator
from functools import partial

from microleak.base.arrays import Integers, QidMask
from microleak.kernels.keys import turns_of
from microleak.kernels.records import Records
from microleak.kernels.spilled_rows import joined_rows
from microleak.kernels.tally import LOW, Crossed, added_up
from microleak.kernels.tree import QidMasks
from microleak.kernels.walk import Totals, Turn, Work, walk_turn

Members = tuple[Integers, ...]
"""Columns: what is added up (`SIZE`, `HITS`, `ONE_VALUE`), the number of the sensitive
attribute, the group, its size or number of values, and how many members there are."""


def crossed(
    records: Records, wanted: QidMasks, work: Work
) -> Iterator[tuple[QidMask, Members]]:
    """Yield the members of each group, for each of the QID subsets wanted, ascending.

    The last of the sensitive attributes is marked, and its codes are the groups.
    """
    *inferred, _ = records.sensitive
    turns = turns_of(inferred) if inferred else [range(0)]
    shelf = work.new_shelf(Crossed.types)
    totals_of = partial(Totals, shelf, work.tally_bytes)
    for turn in turns:
        counter_of = partial(Crossed, first=turn.start)
        share = 1 / len(turns)
        numbers = [*turn, len(inferred)]
        walk_turn(records, wanted, Turn(numbers, counter_of, totals_of, share), work)
    for subset in wanted.tolist():
        *kinds, members = joined_rows(shelf.pieces(subset), shelf.types)
        what, kind, number, n_members = vars(added_up(kinds, members)).values()
        yield subset, (what, kind >> 32, kind & LOW, number, n_members)
