"""A setting with its numbers: how many queries, which noise, which seed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from microleak.attacks.formulas import Formula, n_queries
from microleak.attacks.hadamard_reconstruction import HadamardQueries
from microleak.attacks.noise_bounds import distinct_bound
from microleak.attacks.noise_laws import GrossOutliers, NoiseLaw, noise_law
from microleak.attacks.subset_queries import Queries, RandomSubsets, all_subsets
from microleak.study.reconstruction_model import (
    ALL,
    HADAMARD,
    Reconstruction,
    Setting,
)

SEED_BYTES = 6
"""Of a database's seed: spreadsheets show a number of this size in full."""


@dataclass(frozen=True)
class Case:
    """A setting whose formulas have values, and the seed of all that is drawn.

    `n_asked` is what the formula of queries gives, or 2**n for every subset.
    """

    setting: Setting
    n_asked: int
    law: NoiseLaw
    seed: int

    def queries(self, attack: str) -> Queries:
        """Return the queries that an attack asks; structured ones in whole rounds.

        Raises
        ------
        StudyError
            If every subset is asked for, of too many entries.
        """
        n = self.setting.n_entries
        if attack == HADAMARD:
            n_rows = HadamardQueries(n, 1, self.seed).n_rows
            return HadamardQueries(n, -(-self.n_asked // n_rows), self.seed)
        if self.setting.queries == ALL:
            return all_subsets(n)
        return RandomSubsets(n, self.n_asked, self.seed)


def cases_of(analysis: Reconstruction, seed: int) -> Iterator[Case]:
    """Yield every setting of an analysis, in the order of the study file.

    The seed of a case follows from the study's and from the numbers of the case
    alone: those before it in the study file, the analysis and the attack change
    nothing. So attacks of one setting, in whichever analysis, face the same answers.

    Raises
    ------
    StudyError
        If a formula has no value, or there is no such noise.
    """
    for setting in analysis.settings:
        bound = Formula(setting.error, "errors").value(setting.n_entries)
        n_asked, law = _n_asked(setting), _law(setting, bound)
        yield Case(setting, n_asked, law, _seed(seed, setting, n_asked, bound))


def _n_asked(setting: Setting) -> int:
    if setting.queries == ALL:
        return all_subsets(setting.n_entries).n_queries
    return n_queries(Formula(setting.queries, "queries"), setting.n_entries)


def _law(setting: Setting, bound: float) -> NoiseLaw:
    """Return the law of the noise, with outliers if there are some."""
    noise, share = setting.noise, Fraction(setting.outliers)
    law = noise_law(noise.law, bound, noise.alpha)
    return GrossOutliers(law, float(share)) if share else law


def _seed(seed: int, setting: Setting, n_asked: int, bound: float) -> int:
    noise = setting.noise
    distinct = distinct_bound(noise.law, bound, noise.alpha)
    key = (
        *(seed, setting.n_entries, n_asked, distinct),
        *(noise.law, noise.epsilon),
        *(str(Fraction(setting.outliers)), setting.repeat),
    )
    return int.from_bytes(sha256(json.dumps(key).encode()).digest()[:SEED_BYTES])
