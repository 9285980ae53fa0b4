"""What the profiles of an analysis cost, before anything is run: about, not exactly.

Measured with the twin of the School Census 2018, 11 QIDs, all 2,047 subsets and
two sensitive attributes, on two cores: 48.2 million records took 104 s and
86 MB of profiles, 4.8 million 23 MB and 50 thousand 1.5 MB.
"""

from dataclasses import dataclass

N_RECORDS, N_SUBSETS = 48_176_423, 2_047
"""The records and subsets of the measurement."""

N_CORES = 2
SECONDS_A_CELL = 104 / (N_RECORDS * N_SUBSETS)
"""Time for one record in one subset: both count in full."""

BYTES_A_SUBSET = 42_000
GROWTH = 0.58
"""Profiles grow with this power of the number of records, as block sizes repeat."""

MILLION = 1_000_000

_TIMES = {"years": 31_556_952, "days": 86_400, "h": 3_600, "min": 60, "s": 1}
_SIZES = {
    "EB": 10**18,
    "PB": 10**15,
    "TB": 10**12,
    "GB": 10**9,
    "MB": 10**6,
    "kB": 1000,
}


@dataclass(frozen=True)
class Cost:
    """What the profiles of so many records and subsets cost.

    Attributes
    ----------
    seconds
        Time of the step profile on a machine of `N_CORES` cores.
    n_bytes
        Size of the file of profiles.

    Examples
    --------
    >>> str(cost(48_176_423, 2_047))
    'about 2 min and 86 MB'
    """

    seconds: float
    n_bytes: float

    def __str__(self) -> str:
        return f"about {_in(self.seconds, _TIMES)} and {_in(self.n_bytes, _SIZES)}"


def cost(n_records: int, n_subsets: int) -> Cost:
    """Estimate the profiles of so many records and subsets."""
    seconds = SECONDS_A_CELL * n_records * n_subsets
    n_bytes = BYTES_A_SUBSET * n_subsets * (n_records / N_RECORDS) ** GROWTH
    return Cost(seconds, n_bytes)


def cost_of_a_million(n_subsets: int) -> str:
    """Say what a million records cost; more of them take less disk each.

    Examples
    --------
    >>> cost_of_a_million(2_047)
    'about 2 s and 9 MB for a million records'
    """
    return f"{cost(MILLION, n_subsets)} for a million records"


def _in(amount: float, units: dict[str, int]) -> str:
    """Write an amount in its largest unit, of two digits or fewer that count."""
    fitting = ((unit, size) for unit, size in units.items() if amount >= size)
    unit, size = next(fitting, list(units.items())[-1])
    return f"{float(f'{max(1, amount / size):.2g}'):,.0f} {unit}"
