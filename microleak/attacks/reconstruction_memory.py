"""How much memory an attack needs, told before anything is drawn."""

from collections.abc import Callable
from typing import Final

from microleak.attacks.subset_queries import BLOCK_WORDS
from microleak.errors import StudyError, check_known
from microleak.kernels.subset_sums import n_words

MB: Final = 10**6

LIBRARIES: Final = 200 * MB
"""Bytes of the interpreter, libraries and compiled code; measured: 100 to 170 MB."""

BLOCKS: Final = 8 * 8 * BLOCK_WORDS
"""Bytes of a block of subsets, what it is drawn from, and sums over it."""


def _exponential(n: int, n_queries: int) -> int:
    """Answers, limits and codes of the queries; tables and codes of databases."""
    return 56 * n_queries + (16 << n)


def _linear(n: int, n_queries: int) -> int:
    """All subsets, twice while they are put together; dense rows in the solver."""
    return (16 * n_words(n) + 64) * n_queries + 640 * n**2


def _least_squares(n: int, n_queries: int) -> int:
    """Answers, residuals and weights; sums of eight entries."""
    return 64 * n_queries + 1024 * n


def _hadamard(n: int, n_queries: int) -> int:
    """Answers, three times where some are outliers; a round's transform and places."""
    return 26 * n_queries + 64 * (1 << n.bit_length())


def _points(n: int, n_queries: int) -> int:
    """Points and what is drawn; a fraction and limits of every answer."""
    return (n << 21) + 512 * n_queries


ESTIMATES: Final[dict[str, Callable[[int, int], int]]] = {
    "exponential": _exponential,
    "linear": _linear,
    "least_squares": _least_squares,
    "l1": _least_squares,
    "determined": _linear,
    "hadamard": _hadamard,
    "points": _points,
}
"""Names of the attacks in a study, and what each keeps."""


def n_bytes(attack: str, n: int, n_queries: int) -> int:
    """Return about how many bytes an attack and its setting take at most.

    Raises
    ------
    StudyError
        If there is no such attack.
    """
    check_known(attack, ESTIMATES, "No reconstruction has the attack")
    return LIBRARIES + BLOCKS + ESTIMATES[attack](n, n_queries)


def check_memory(attack: str, n: int, n_queries: int, limit_mb: int) -> None:
    """Refuse an attack that takes more than a limit, in MB of 10**6 bytes.

    Raises
    ------
    StudyError
        If it would, or if there is no such attack.
    """
    needed_mb = -(-n_bytes(attack, n, n_queries) // MB)
    if needed_mb > limit_mb:
        raise StudyError(
            f"The {attack} attack on n = {n} with {n_queries} queries takes about "
            f"{needed_mb} MB, and {limit_mb} MB may be used. Lower n or the formula of "
            "queries in the analysis of the study file, or allow more memory."
        )
