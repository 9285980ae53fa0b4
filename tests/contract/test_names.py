"""A class name stands once in the package, so that it says which class is meant."""

import ast
from collections import Counter
from pathlib import Path

import microleak


def test_a_class_name_stands_once():
    package = Path(microleak.__file__).parent
    names = Counter(
        node.name
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in names.items() if n > 1] == []
