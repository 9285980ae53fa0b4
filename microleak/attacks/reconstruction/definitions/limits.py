"""Formulas of n, and how long an attack on one database may take.

How long an attack on one database may take, and how much memory it needs. Attacks
pass over the queries again and again, block by block, so it is enough to look at the
clock before each block: what is late ends soon after, and claims nothing.
"""

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from microleak.attacks.reconstruction.definitions.noise import PublicAnswers
from microleak.attacks.reconstruction.definitions.subset_queries import (
    BLOCK_WORDS,
    SubsetQueries,
)
from microleak.attacks.reconstruction.kernels.subset_sums import n_words
from microleak.base.arrays import BitWords
from microleak.base.errors import MicroleakError, StudyError, check_known, did_you_mean

LONGEST: Final = 200
"""Characters of a formula, so that none is nested deeper than can be read."""

FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "ceil": math.ceil,
    "floor": math.floor,
    "min": min,
    "max": max,
}
"""What a formula may call; `log` is natural."""

_OPERATORS: Final[dict[type[ast.AST], Callable[..., float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


@dataclass(frozen=True)
class Formula:
    """A formula of n, as `0.5*sqrt(n)`, and the setting that has it.

    The base of a logarithm is part of it: `log2`, `log` (natural) or `log10`.

    >>> Formula("n*log2(n)**2", "queries").value(256)
    16384.0
    """

    text: str
    setting: str

    def value(self, n: int) -> float:
        """Return the formula's value for n entries, finite and not below 0."""
        body = self._parsed()
        try:
            value = self._of(body, n)
        except StudyError:
            raise
        except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
            raise self._refused(f"has no value for n = {n}") from error
        if isinstance(value, complex) or not math.isfinite(value):
            raise self._refused(f"is not a finite number for n = {n}")
        if value < 0:
            raise self._refused(f"is negative, {value:.10g}, for n = {n}")
        return value

    def _parsed(self) -> ast.expr:
        if len(self.text) > LONGEST:
            raise self._refused(f"is longer than {LONGEST} characters")
        try:
            return ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise self._refused("cannot be read") from error

    def _of(self, node: ast.expr, n: int) -> float:
        """Return the value of a part; all numbers are floats, so none grows large."""
        match node:
            case ast.Constant(value=True | False):
                raise self._refused("has something that is no arithmetic")
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id="n"):
                return float(n)
            case ast.BinOp() if type(node.op) in _OPERATORS:
                left, right = self._of(node.left, n), self._of(node.right, n)
                return _OPERATORS[type(node.op)](left, right)
            case ast.UnaryOp() if type(node.op) in _OPERATORS:
                return _OPERATORS[type(node.op)](self._of(node.operand, n))
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
                return float(FUNCTIONS[name](*(self._of(a, n) for a in node.args)))
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
                raise self._refused(f"has the unknown name {name!r}", name)
        raise self._refused("has something that is no arithmetic")

    def _refused(self, said: str, name: str = "") -> StudyError:
        return StudyError(
            f"The formula {self.text[:LONGEST]!r} "
            f"{said}.{did_you_mean(name, FUNCTIONS)} Write numbers, n, + - * / ** and "
            f"{', '.join(FUNCTIONS)} in {self.setting} of the study file, as "
            "0.5*sqrt(n)."
        )


def n_queries(formula: Formula, n: int) -> int:
    """Return how many queries are asked of n entries: the formula, rounded up.

    >>> n_queries(Formula("n*log2(n)**2", "queries"), 500)
    40193
    """
    value = math.ceil(formula.value(n))
    if not 1 <= value <= 2**40:
        raise StudyError(
            f"The formula {formula.text!r} gives {value} queries for n = {n}; at "
            f"least 1 and at most 2**40 can be asked. Change {formula.setting} in the "
            "study file; log2(1) is 0, for example."
        )
    return value


LIMIT_S: Final = 600.0
"""Seconds that an attack may take unless told, before an `OutOfTimeError`."""


class OutOfTimeError(MicroleakError):
    """An attack reached its limit of seconds, and claims nothing."""


@dataclass(frozen=True)
class Deadline:
    """When an attack must have ended, on a clock that nobody sets."""

    limit_s: float
    ends: float

    @classmethod
    def after(cls, limit_s: float) -> "Deadline":
        """Return the deadline that is so many seconds from now."""
        return cls(limit_s, monotonic() + limit_s)

    @property
    def left_s(self) -> float:
        """Seconds left, 0 once there are none."""
        return max(0.0, self.ends - monotonic())

    def check(self) -> None:
        """Refuse to go on once no time is left, by an `OutOfTimeError`."""
        if not self.left_s:
            raise OutOfTimeError(
                f"The attack was not finished in {self.limit_s:g} seconds. Raise "
                "limit_s in the analysis of the study file, or lower its entries."
            )


@dataclass(frozen=True)
class TimedSubsets(SubsetQueries):
    """Queries like those of `asked`, that are given until a deadline."""

    asked: SubsetQueries
    deadline: Deadline

    def _block(self, number: int, n_rows: int) -> BitWords:
        self.deadline.check()
        return self.asked._block(number, n_rows)


def timed(
    public: PublicAnswers[SubsetQueries], deadline: Deadline
) -> PublicAnswers[SubsetQueries]:
    """Return the same answers, whose queries are given until a deadline."""
    asked = public.queries
    return replace(
        public, queries=TimedSubsets(asked.n, asked.n_queries, asked, deadline)
    )


MB: Final = 10**6

LIBRARIES: Final = 200 * MB
"""Bytes of the interpreter, libraries and compiled code; measured: 100 to 170 MB."""

BLOCKS: Final = 8 * 8 * BLOCK_WORDS
"""Bytes of a block of subsets, what it is drawn from, and sums over it."""


def _of_programs(n: int, n_queries: int) -> int:
    return (16 * n_words(n) + 64) * n_queries + 640 * n**2


def _of_squares(n: int, n_queries: int) -> int:
    return 64 * n_queries + 1024 * n


ESTIMATES: Final[dict[str, Callable[[int, int], int]]] = {
    # Answers, limits and codes of the queries; tables and codes of databases
    "exponential": lambda n, n_queries: 56 * n_queries + (16 << n),
    "linear": _of_programs,
    "least_squares": _of_squares,
    "l1": _of_squares,
    "determined": _of_programs,
    # Answers, three times where some are outliers; a round's transform and places
    "hadamard": lambda n, n_queries: 26 * n_queries + 64 * (1 << n.bit_length()),
    "points": lambda n, n_queries: (n << 21) + 512 * n_queries,
}
"""Names of the attacks in a study, and the bytes that each keeps."""


def n_bytes(attack: str, n: int, n_queries: int) -> int:
    """Return about how many bytes an attack and its setting take at most."""
    check_known(attack, ESTIMATES, "No reconstruction has the attack")
    return LIBRARIES + BLOCKS + ESTIMATES[attack](n, n_queries)


def check_memory(attack: str, n: int, n_queries: int, limit_mb: int) -> None:
    """Refuse an attack that takes more than a limit, in MB of 10**6 bytes."""
    needed_mb = -(-n_bytes(attack, n, n_queries) // MB)
    if needed_mb > limit_mb:
        raise StudyError(
            f"The {attack} attack on n = {n} with {n_queries} queries takes about "
            f"{needed_mb} MB, and {limit_mb} MB may be used. Lower n or the formula of "
            "queries in the analysis of the study file, or allow more memory."
        )
