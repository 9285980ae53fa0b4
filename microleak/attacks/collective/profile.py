"""From one record a person to the block profiles of a collective analysis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.kernels.keys import MOST_MARKED
from microleak.kernels.parts import WalkPart
from microleak.kernels.tally import MOST_COUNTED, Histogram
from microleak.kernels.walk import walk_subsets
from microleak.records.chunks import Given, chunks_of
from microleak.records.coding import (
    SingleValue,
    Wanted,
    check_group,
    coded_with,
    codes_in_order,
    columns_of,
    less_frequent,
    most_frequent,
)
from microleak.records.exposed import exposed_values
from microleak.records.memory import Memory, counted_values, full_disk_said
from microleak.records.profile_file import write_profiles
from microleak.records.subsets import spread_over_columns


def profile_analysis(
    releases: Sequence[Given],
    analysis: Collective,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
    part: tuple[int, int] | None = None,
) -> None:
    """Write the block profile of every wanted subset, and of the empty one.

    Of sensitive attributes and then, as marked ones, of groups, of each value but the
    most frequent where they are few (`less_frequent`), and else of that, of a missing
    one and of the most exposed ones (`exposed_values`).
    """
    subsets = [0, *analysis.subsets]
    qids = list(panel_qids(analysis))
    memory = Memory(resources, f"analysis {analysis.name!r}")
    sensitive: list[Wanted] = [*analysis.sensitive, *analysis.groups]
    n_columns = len(qids) + len(sensitive) + MOST_MARKED
    with full_disk_said(memory.where, resources.scratch):
        chunks = chunks_of(releases, memory.rows_a_chunk(n_columns))
        memory = memory.for_chunks(n_columns * chunks.most_rows)
        columns = columns_of([*qids, *sensitive])
        known = counted_values(chunks, columns, memory, MOST_COUNTED)
        for group in analysis.groups:
            check_group(known, group, memory.where)
        single = {name: less_frequent(known, name) for name in analysis.sensitive}
        many = [n for n in single if len(known[n].values) > 1 and not single[n]]
        marked: dict[Wanted, SingleValue] = {
            name: single[name][0] for name in single if len(single[name]) == 1
        }
        of_focal = qids[-len(analysis.qids) :]
        for name in many:
            single[name] = exposed_values(chunks, known, of_focal, name, memory)
        values = [value for found in single.values() for value in found]
        wanted = [*sensitive, *values, *(most_frequent(known, name) for name in many)]
        plan = _Plan(wanted, marked)
        records = coded_with(chunks, known, qids, plan.walked)
        with progress("walking subsets", records.n_records * len(subsets)) as advance:
            work = memory.work(records, advance)
            mine = part and WalkPart(
                part[0] - 1, part[1], [codes_in_order(known[qid]) for qid in qids]
            )
            qid_of = list(panel_qids(analysis).values())
            wide = [spread_over_columns(subset, qid_of) for subset in subsets]
            n_linked = len(qid_of) - len(analysis.qids)
            restored = (
                (columns >> n_linked, plan.restored(walked))
                for columns, walked in walk_subsets(records, wide, work, mine)
            )
            write_profiles(out, restored, is_synthetic, values, many)


@dataclass(frozen=True)
class _Plan:
    """Which attributes are profiled, and which of them by way of another."""

    wanted: Sequence[Wanted]
    # Of an attribute of two values the rarer one by its name: its members say all, so
    # that the attribute itself is not walked.
    marked: Mapping[Wanted, SingleValue]

    @property
    def walked(self) -> list[Wanted]:
        """Return the attributes that are walked."""
        return [each for each in self.wanted if each not in self.marked]

    def restored(self, found: Histogram) -> Histogram:
        """Return the blocks of all attributes, from those of the walked ones."""
        if not self.marked:
            return found
        place = {each: number for number, each in enumerate(self.walked)}
        parts = [
            found.of(place[self.marked[each]], number).of_two_values()
            if each in self.marked
            else found.of(place[each], number)
            for number, each in enumerate(self.wanted)
        ]
        return reduce(Histogram.__add__, parts)


def panel_qids(analysis: Collective) -> dict[str, int]:
    """Return the columns of a panel's QIDs, and which QID each is of."""
    # Those of the focal release, which has all of them, come last: so the columns of
    # subsets ascend as the subsets do.
    linked = {
        f"{qid}|{release}": analysis.qids.index(qid)
        for release in analysis.auxiliary
        for qid in analysis.attributes_in(release)
    }
    return linked | {qid: i for i, qid in enumerate(analysis.qids)}
