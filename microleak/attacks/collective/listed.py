"""A list of the records most at risk, from the records and measures of an analysis.

It shows values of persons, so it is for the office alone.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.collective.at_risk import (
    CodedColumn,
    FoundOut,
    PeopleAtRisk,
    most_at_risk,
)
from microleak.base.arrays import QidMask
from microleak.records.chunks import Chunks
from microleak.records.coding import coded_column, codes_in_order, texts_of
from microleak.records.subsets import names_of

RISKS = (
    *("rank", "row", "key", "n_facts", "facts", "values", "n_alike", "brings_most"),
    *("its_value", "n_without_it", "learnt", "n_people", "n_others", "n_others_alike"),
    *("breaks", "suppress", "n_alike_then"),
)
BLOCKS = ("size", "n_blocks", "row", "key", "facts", "values", "n_values")

MOST_SIZE, MOST_EXAMPLES = 10, 20
"""The largest blocks that are listed, unless a limit wants larger ones, and how many
of each size."""


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

    chunks: Chunks
    facts: Mapping[str, Sequence[str]]  # Columns of each QID
    sensitive: Sequence[str]
    measures: pd.DataFrame
    key: str = ""  # Column that tells persons apart
    limits: Sequence[LeastAlike] = ()
    _read: dict[str, tuple[CodedColumn, pa.Array]] = field(default_factory=dict)

    def column(self, name: str) -> CodedColumn:
        """Return a column's codes, which are read when they are first asked for."""
        if name not in self._read:
            known, codes = coded_column(self.chunks, name, os.cpu_count() or 1)
            order = codes_in_order(known)
            usual = int(order[known.counts[order].argmax()])
            missing = int(order[0]) if known.values.null_count else -1
            coded = CodedColumn(codes, known.counts, usual, missing)
            self._read[name] = coded, known.values
        return self._read[name][0]

    def _cell(self, name: str, row: int) -> str:
        code = int(self.column(name).codes[row])
        return texts_of(self._read[name][1][code : code + 1])[0] or ""

    @cached_property
    def _people(self) -> PeopleAtRisk:
        columns = [*self.facts.values()]
        return PeopleAtRisk(self.chunks.n_rows, columns, self.sensitive, self.column)

    @cached_property
    def _n_found_out(self) -> Mapping[QidMask, int]:
        """How many records each set of facts finds out, of those that limits allow."""
        place = {name: at for at, name in enumerate(self.facts)}
        is_identity = self.measures["sensitive"] == ""
        rarer = self.measures["n_certain_rarer"]
        counted = self.measures["n_certain"].where(is_identity, rarer).fillna(0)
        found: Counter[QidMask] = Counter()
        for qids, n in zip(self.measures["qids"], counted, strict=True):
            if not self.limits or any(limit.has(qids) for limit in self.limits):
                found[sum(1 << place[name] for name in qids.split("|"))] += int(n)
        return found

    def risks(self, most: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of the list, `RISKS`, the worst first."""
        found = [*most_at_risk(self._people, self._n_found_out, most)]
        keys = self._keys_of([each.row for each in found])
        for rank, each in enumerate(found, 1):
            yield {"rank": rank, "key": keys.get(each.row, ""), **self._told(each)}

    def _told(self, found: FoundOut) -> dict[str, Any]:
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
        cured = self._cured_by(found, least)
        return {
            "row": row + 1,
            "n_facts": found.facts.bit_count(),
            "facts": facts,
            "values": self._values(found.facts, row),
            "n_alike": found.n_alike,
            "brings_most": decisive,
            "its_value": self._cell(self.facts[decisive][-1], row),
            "n_without_it": found.n_without[found.decisive],
            "learnt": ",".join(
                f"{name}={self._cell(name, row)}"
                for name in (self.sensitive[each.place] for each in found.learnt)
            ),
            "n_people": rarest.n_people if rarest else "",
            "n_others": rarest.n_others if rarest else "",
            "n_others_alike": rarest.n_others_alike if rarest else "",
            "breaks": "|".join(limit.name for limit in broken),
            "suppress": names[cured],
            "n_alike_then": found.n_without[cured],
        }

    def _cured_by(self, found: FoundOut, least: int) -> int:
        """Return the fact with fewest values without which enough records are alike.

        Else that which brings most.
        """
        enough = [place for place, n in found.n_without.items() if n >= least]
        names = [*self.facts.values()]
        return min(
            enough,
            key=lambda place: len(self.column(names[place][-1]).counts),
            default=found.decisive,
        )

    def _values(self, facts: QidMask, row: int) -> str:
        return ",".join(
            f"{'.'.join(reversed(column.split('|')))}={self._cell(column, row)}"
            for name in names_of(facts, [*self.facts])
            for column in self.facts[name]
        )

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of `BLOCKS`, of the largest set of facts that limits allow."""
        facts = max(self._n_found_out, key=lambda each: (each.bit_count(), -each))
        most = max((limit.k - 1 for limit in self.limits), default=MOST_SIZE)
        found = [*self._people.small_blocks(facts, most, MOST_EXAMPLES)]
        keys = self._keys_of([block.row for block in found])
        for block in found:
            yield {
                "size": block.size,
                "n_blocks": block.n_blocks,
                "row": block.row + 1,
                "key": keys.get(block.row, ""),
                "facts": "|".join(names_of(facts, [*self.facts])),
                "values": self._values(facts, block.row),
                "n_values": ",".join(
                    f"{name}={n}"
                    for name, n in zip(self.sensitive, block.n_values, strict=True)
                ),
            }

    def _keys_of(self, rows: Sequence[int]) -> dict[int, str]:
        if not self.key:
            return {}
        found, at = dict[int, str](), 0
        wanted = np.unique(np.array(rows, dtype=np.int64))
        for chunk in range(self.chunks.n_chunks):
            column = self.chunks.read(chunk, [self.key]).column(0)
            own = wanted[(wanted >= at) & (wanted < at + len(column))]
            keys = column.take(pa.array(own - at)).cast(pa.string()).to_pylist()
            found |= dict(zip(own.tolist(), keys, strict=True))
            at += len(column)
        return found
