"""Places of a module where one small fault can be put, and the module with it."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FLIPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One fault in a module: the text from `start` to `end` becomes `text`."""

    # Its name does not depend on the lines above it.
    path: str
    name: str
    line: int
    start: int
    end: int
    text: str

    @property
    def rank(self) -> str:
        """Where it stands in the order in which samples are drawn."""
        return hashlib.sha256(f"2021 {self.name}".encode()).hexdigest()

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants_of(path: Path, root: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module: those of its functions' bodies."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    own = path.relative_to(root).as_posix()
    n_alike: Counter[str] = Counter()
    for function, node in _places(ast.parse(source), ""):
        for kind, old, new in _replacements(node):
            said = f"{own}::{function}: {kind} {ast.unparse(old)[:60]} -> {new[:60]}"
            n_alike[said] += 1
            start = starts[old.lineno - 1] + old.col_offset
            end = starts[old.end_lineno - 1] + old.end_col_offset
            name = f"{said} ({n_alike[said]})"
            yield Mutant(own, name, old.lineno, start, end, new)


def _places(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes of functions and classes in which a fault can be."""
    # Types, docstrings, messages and what only states an invariant are left out.
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.FunctionDef() | ast.ClassDef():
                    yield from _places(child, f"{function}.{child.name}".lstrip("."))
                case ast.JoinedStr() | ast.Expr(value=ast.Constant()) | ast.Assert():
                    pass
                case ast.keyword(arg="strict"):
                    pass
                case ast.Raise():
                    yield function, child
                case ast.AST():
                    if function:
                        yield function, child
                    yield from _places(child, function)


def _replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield the faults of a node: their kind, what is replaced, and by what text."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in FLIPPED:
            new = ast.Compare(node.left, [FLIPPED[type(operator)]()], node.comparators)
            yield "flip", node, f"({ast.unparse(new)})"
        case ast.BoolOp():
            new = ast.BoolOp(FLIPPED[type(node.op)](), node.values)
            yield "flip", node, f"({ast.unparse(new)})"
        case ast.BinOp() if type(node.op) in FLIPPED:
            new = ast.BinOp(node.left, FLIPPED[type(node.op)](), node.right)
            yield "flip", node, f"({ast.unparse(new)})"
        case ast.UnaryOp(op=ast.USub()):
            yield "flip", node, f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield "flip", node, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield "more", node, f"({node.value + 1!r})"
            yield "less", node, f"({node.value - 1!r})"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.comprehension(ifs=[test]):
            if not isinstance(test, (ast.Compare, ast.BoolOp)):
                yield "deny", test, f"(not ({ast.unparse(test)}))"
        case ast.Return(value=ast.expr()):
            yield "return", node, "return None"
        case (
            ast.Expr()
            | ast.AugAssign()
            | ast.Raise()
            | ast.Break()
            | ast.Assign(targets=[ast.Subscript() | ast.Attribute()])
        ):
            yield "drop", node, "pass"
