"""Write `microleak/__init__.pyi`, the types of functions that are made of models.

`make docs` does: python -m tests.contract.stub
"""

import inspect
import re
import subprocess
import sys

import microleak
from microleak.base.paths import PACKAGE
from microleak.families import FUNCTIONS, function

STUB = PACKAGE / "__init__.pyi"
BEGIN = '''"""Types of what `microleak` loads when asked for, made by `make docs`."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
'''
MADE = '''
class {name}(Found):
    """What `{function}` found."""

    {fields}
'''


def stub():
    """The stub as ruff formats it."""
    others = [name for name in microleak.__all__ if name not in FUNCTIONS]
    named = [(getattr(microleak, name).__module__, name, " as ") for name in others]
    classes, functions, made = set(), [], []
    for name in sorted(FUNCTIONS):
        signature = inspect.signature(function(name))
        kind = signature.return_annotation
        classes.add((kind.__module__, kind.__name__, ""))
        if not FUNCTIONS[name].frames:
            classes -= {(kind.__module__, kind.__name__, "")}
            classes.add(("microleak.frames", "Found", ""))
            fields = "\n    ".join(f"{f}: pd.DataFrame" for f in kind.specs)
            made.append(MADE.format(name=kind.__name__, function=name, fields=fields))
        functions.append(f"def {name}{_plain(signature)}: ...\n")
    imports = "".join(
        f"from {module} import {name}{f' as {name}' if alias else ''}\n"
        for module, name, alias in sorted({*classes, *named})
    )
    text = "\n".join([BEGIN, imports, "__version__: str\n", *made, *functions])
    command = [sys.executable, "-m", "ruff"]
    for step in (["check", "-q", "--fix", "--select", "I,F401"], ["format"]):
        line = [*command, *step, "--stdin-filename", str(STUB), "-"]
        text = subprocess.run(
            line, input=text, capture_output=True, text=True, check=True
        ).stdout
    return text


def _plain(signature):
    """A signature as a source has it: names without their modules."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z]\w*)", "", str(signature))


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
