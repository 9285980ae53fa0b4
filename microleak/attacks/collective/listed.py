"""A list of the records most at risk, from the records and measures of an analysis.

It shows values of persons, so it is for the office alone.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.collective import at_risk
from microleak.base.arrays import QidMask
from microleak.base.errors import MicroleakError
from microleak.base.machine import cores_here
from microleak.records.chunks import ParquetChunks, TableChunks
from microleak.records.coding import coded_column, most_frequent_code, texts_of
from microleak.records.hierarchy import HierarchyGiven, level_names, levels_of
from microleak.records.subsets import names_of

RISKS = (
    *("rank", "row", "key", "n_facts", "facts", "values", "n_alike", "brings_most"),
    *("its_value", "n_without_it", "learnt", "n_people", "n_others", "n_others_alike"),
    *("breaks", "coarsen", "to_level", "n_on_level", "suppress", "n_suppressed"),
)
BLOCKS = ("size", "n_blocks", "row", "key", "facts", "values", "n_values")

MOST_SIZE, MOST_EXAMPLES = 10, 20
"""The largest blocks that are listed, unless a limit wants larger ones, and how many
of each size."""

Row = Mapping[str, Any]


def _as_json(entries: Iterable[tuple[str, Any]]) -> str:
    return json.dumps(dict(entries), ensure_ascii=False)


class LeastAlike(NamedTuple):
    """How many records at least a limit wants to be alike in the facts that it allows.

    `has` says whether it allows a set, as result tables have it.
    """

    name: str
    k: int
    has: Callable[[str], bool]


@dataclass(frozen=True)
class ListedAnalysis:
    """The records of an analysis, their columns, and what measures say of sets."""

    chunks: ParquetChunks | TableChunks
    facts: Mapping[str, Sequence[str]]  # Columns of each QID
    sensitive: Sequence[str]
    measures: pd.DataFrame
    key: str = ""  # Column that tells persons apart
    of: Mapping[str, str] = field(default_factory=dict)  # Table and focal release
    limits: Sequence[LeastAlike] = ()
    may_know: Callable[[str], bool] = lambda _: True  # Sets, as result tables have them
    hierarchies: Mapping[str, HierarchyGiven] = field(default_factory=dict)
    _read: dict[str, tuple[at_risk.ListedColumn, pa.Array]] = field(
        default_factory=dict
    )

    def column(self, name: str) -> at_risk.ListedColumn:
        """Return a column's codes, which are read when they are first asked for."""
        if name not in self._read:
            known, codes = coded_column(self.chunks, name, cores_here())
            missing = known.values.is_null().index(True).as_py()
            usual = most_frequent_code(known)
            coded = at_risk.ListedColumn(codes, known.counts, usual, missing)
            self._read[name] = coded, known.values
        return self._read[name][0]

    def _cell(self, name: str, row: int) -> str | None:
        code = int(self.column(name).codes[row])
        return texts_of(self._read[name][1][code : code + 1])[0]

    @cached_property
    def _people(self) -> at_risk.PeopleAtRisk:
        columns = [*self.facts.values()]
        return at_risk.PeopleAtRisk(
            self.chunks.n_rows,
            columns,
            self.sensitive,
            self.column,
            self._levels,
            self._least_alike,
            cores_here(),
        )

    def _least_alike(self, facts: QidMask) -> int:
        qids = "|".join(names_of(facts, [*self.facts]))
        return max((limit.k for limit in self.limits if limit.has(qids)), default=2)

    def _levels(self, place: int) -> list[at_risk.ListedColumn]:
        """Return the levels of a fact, if a hierarchy has some and no release more."""
        name, columns = [*self.facts.items()][place]
        if name not in self.hierarchies or len(columns) > 1:
            return []
        column, found = self.column(name), []
        texts = texts_of(self._read[name][1])
        try:
            levels = levels_of(self.hierarchies[name], texts, name)
        except MicroleakError:  # Its file is not here, or has not a release's labels
            return []
        for labels in levels[1:]:  # The first is as it is
            number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            codes = np.array([number[label] for label in labels], dtype=np.int32)
            counts = np.zeros(len(number), dtype=np.int64)
            found.append(at_risk.ListedColumn(codes[column.codes], counts, 0, -1))
        return found

    @cached_property
    def _n_found_out(self) -> Mapping[QidMask, int]:
        """How many records each set of facts finds out, of those that limits allow."""
        place = {name: at for at, name in enumerate(self.facts)}
        # Groups have rows of their own there, and are not listed.
        measures = self.measures[self.measures["sensitive"].isin(["", *self.sensitive])]
        is_identity = measures["sensitive"] == ""
        rarer = measures["n_certain_rarer"]
        counted = measures["n_certain"].where(is_identity, rarer).fillna(0)
        found: Counter[QidMask] = Counter()
        for qids, n in zip(measures["qids"], counted, strict=True):
            if self.may_know(qids):
                found[sum(1 << place[name] for name in qids.split("|"))] += int(n)
        return found

    def tables(self, most: int) -> tuple[list[Row], list[Row]]:
        """Return the rows of `RISKS`, at most so many, worst first, and of `BLOCKS`.

        Blocks are of the largest set that an adversary may know, of several that which
        finds most people out.
        """
        sets = self._n_found_out
        found = [*at_risk.most_at_risk(self._people, sets, most)]
        order = [(f.bit_count(), n, -f) for f, n in sets.items()]
        facts = -max(order)[2] if order else 0
        most_size = max((limit.k - 1 for limit in self.limits), default=MOST_SIZE)
        blocks = [*self._people.small_blocks(facts, most_size, MOST_EXAMPLES)]
        rows = [*(each.row for each in found), *(each.row for each in blocks)]
        keys = self._keys_of(rows)
        return [
            {"rank": rank, "key": keys.get(each.row, ""), **self._told(each)}
            for rank, each in enumerate(found, 1)
        ], [
            {"key": keys.get(each.row, ""), **self._told_of_block(each, facts)}
            for each in blocks
        ]

    def _told(self, found: at_risk.FoundOut) -> Row:
        names, row = [*self.facts], found.row
        decisive = names[found.decisive]
        rarest = found.learnt[0] if found.learnt else None
        facts = "|".join(names_of(found.facts, names))
        broken = [
            limit
            for limit in self.limits
            if found.n_alike < limit.k and limit.has(facts)
        ]
        least = max((limit.k for limit in broken), default=2)
        return {
            "row": row + 1,
            "n_facts": found.facts.bit_count(),
            "facts": facts,
            "values": self._values(found.facts, row),
            "n_alike": found.n_alike,
            "brings_most": decisive,
            "its_value": self._cell(self.facts[decisive][-1], row) or "",
            "n_without_it": found.n_without[found.decisive],
            "learnt": _as_json(
                (name, self._cell(name, row))
                for name in (self.sensitive[each.place] for each in found.learnt)
            ),
            "n_people": rarest.n_people if rarest else "",
            "n_others": rarest.n_others if rarest else "",
            "n_others_alike": rarest.n_others_alike if rarest else "",
            "breaks": "|".join(limit.name for limit in broken),
            **self._cured(found, least),
        }

    def _cured(self, found: at_risk.FoundOut, least: int) -> Row:
        """Return the finest level, and the fact of fewest values, that are enough."""
        enough = [c for c in found.changes if c.is_cured and c.n_alike >= least]
        names, told = [*self.facts], dict[str, Any]()
        if levels := [change for change in enough if change.level]:
            best = min(levels, key=lambda change: (change.level, change.place))
            name = names[best.place]
            every = max(c.level for c in found.changes if c.place == best.place)
            of_level = level_names(self.hierarchies[name], every + 1)[best.level]
            told |= {"coarsen": name, "to_level": of_level, "n_on_level": best.n_alike}
        if cells := [change for change in enough if not change.level]:
            best = min(cells, key=lambda c: len(self.column(names[c.place]).counts))
            told |= {"suppress": names[best.place], "n_suppressed": best.n_alike}
        return told

    def _values(self, facts: QidMask, row: int) -> str:
        return _as_json(
            (".".join(reversed(column.split("|"))), self._cell(column, row))
            for name in names_of(facts, [*self.facts])
            for column in self.facts[name]
        )

    def _told_of_block(self, block: at_risk.SmallBlock, facts: QidMask) -> Row:
        n_values = zip(self.sensitive, block.n_values, strict=True)
        return {
            "size": block.size,
            "n_blocks": block.n_blocks,
            "row": block.row + 1,
            "facts": "|".join(names_of(facts, [*self.facts])),
            "values": self._values(facts, block.row),
            "n_values": _as_json(n_values),
        }

    def _keys_of(self, rows: Sequence[int]) -> dict[int, str]:
        if not self.key or not rows:
            return {}
        wanted = np.unique(np.array(rows, dtype=np.int64))
        ends = np.cumsum(self.chunks.sizes)

        def keys_in(chunk: int) -> dict[int, str]:
            start = int(ends[chunk] - self.chunks.sizes[chunk])
            own = wanted[(wanted >= start) & (wanted < ends[chunk])]
            if not len(own):
                return {}
            column = self.chunks.read(chunk, [self.key]).column(0)
            keys = column.take(pa.array(own - start)).cast(pa.string())
            return dict(zip(own.tolist(), keys.to_pylist(), strict=True))

        with ThreadPoolExecutor(cores_here()) as pool:
            every = pool.map(keys_in, range(self.chunks.n_chunks))
            return {row: key for found in every for row, key in found.items()}
