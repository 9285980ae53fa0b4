"""What the best guess gains with every QID subset, from one record a person."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.g_leakage.definitions import (
    GLeakage,
    g_vulnerability,
    vulnerability_in_tries,
)
from microleak.attacks.g_leakage.kernels import BestGuess, Tries, best_gains
from microleak.attacks.g_leakage.section import GuessAnalysis
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.kernels.blocks import Fields
from microleak.kernels.tree import Counter
from microleak.records import coding
from microleak.records.chunks import Given
from microleak.records.memory import Memory, counted_values, full_disk_said
from microleak.records.subsets import names_of, which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.g_leakage")
_MEASURED = TABLES["g_leakage"].saying("share")


@dataclass(frozen=True)
class _Guess:
    """What is guessed."""

    # `wanted` is coded, `counter_of` counts it, and gains are multiples of 1 divided by
    # `denominator`; `prior` returns the vulnerability of so many records of each code.

    wanted: coding.Wanted
    counter_of: Callable[[Fields], Counter]
    prior: Callable[[Sequence[int]], Fraction]
    denominator: int
    has_costs: bool


def _guess(analysis: GuessAnalysis) -> _Guess:
    function, name = analysis.function, analysis.sensitive
    if function is None:
        n = analysis.tries or 1
        prior = partial(vulnerability_in_tries, n_tries=n)
        return _Guess(name, partial(Tries, n_tries=n), prior, 1, has_costs=False)
    class_of, gains = function.classes
    number_of = dict(zip(function.known, class_of, strict=False))
    exact = [[Fraction(g, function.denominator) for g in row] for row in gains.tolist()]
    return _Guess(
        coding.Classes(name, number_of, class_of[-1], gains.shape[1]),
        partial(BestGuess, gains=gains),
        partial(g_vulnerability, gains=exact),
        function.denominator,
        function.has_costs,
    )


def g_leakage_table(
    people: Given, analysis: GuessAnalysis, resources: Resources
) -> pd.DataFrame:
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(analysis.qids) + 1
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, n_columns)
        guess = _guess(analysis)
        known = counted_values(chunks, [*analysis.qids, analysis.sensitive], memory)
        if analysis.function is not None and not analysis.has_domain:
            texts = (text or "" for text in analysis.function.known)
            name, of = analysis.sensitive, analysis.gains or ""
            said = f"{memory.where}: gains {f'({of})' if of else ''}".strip()
            coding.check_values(known[name], texts, name, said, "Correct it there")
        records = coding.coded_with(chunks, known, analysis.qids, [guess.wanted])
        prior = guess.prior(records.sensitive[0].counts.tolist())
        n, wanted = records.n_records, np.sort(np.array(analysis.subsets))
        with progress("walking subsets", n * len(wanted)) as advance:
            work = memory.work(records, advance)
            gained = best_gains(records, wanted, guess.counter_of, work)
            found = {
                subset: GLeakage(
                    prior,
                    Fraction(gain, n * guess.denominator),
                    n_blocks,
                    guess.has_costs,
                )
                for subset, gain, n_blocks in gained
            }
    return as_table(TABLES["g_leakage"], _rows(found, n, analysis))


def _rows(
    found: dict[int, GLeakage], n_records: int, analysis: GuessAnalysis
) -> Iterator[dict[str, Any]]:
    for subset in analysis.subsets:
        of_subset = found[subset]
        exact = {name: getattr(of_subset, name) for name in _MEASURED}
        yield {
            **which(analysis, names_of(subset, analysis.qids)),
            "sensitive": analysis.sensitive,
            "n_tries": analysis.tries,
            "n_records": n_records,
            "capacity": of_subset.capacity,
            **{name: None if x is None else float(x) for name, x in exact.items()},
        }
