"""Formulas of n: how many queries are asked, and how far answers may be off."""

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from microleak.base.errors import StudyError, nearest

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

    Examples
    --------
    >>> Formula("n*log2(n)**2", "queries").value(256)
    16384.0
    """

    text: str
    setting: str

    def value(self, n: int) -> float:
        """Return the formula's value for n entries, finite and not below 0.

        Raises
        ------
        StudyError
            If the formula is none, or its value is negative, not finite or none.
        """
        body = self._parsed()
        try:
            value = self._of(body, n)
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
            f"The formula {self.text[:LONGEST]!r} {said}.{nearest(name, FUNCTIONS)} "
            f"Write numbers, n, + - * / ** and {', '.join(FUNCTIONS)} in "
            f"{self.setting} of the study file, as 0.5*sqrt(n)."
        )


def n_queries(formula: Formula, n: int) -> int:
    """Return how many queries are asked of n entries: the formula, rounded up.

    Raises
    ------
    StudyError
        If the formula is none, or gives no query, or more than 2**40.

    Examples
    --------
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
