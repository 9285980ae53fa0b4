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
from typing import Any, type_check_only

import pandas as pd

from microleak.frames import Found
'''


def stub():
    others = [name for name in microleak.__all__ if name not in FUNCTIONS]
    imports = (
        f"from {getattr(microleak, name).__module__} import {name} as {name}\n"
        for name in others
    )
    signatures = {name: inspect.signature(function(name)) for name in sorted(FUNCTIONS)}
    results = dict.fromkeys(each.return_annotation for each in signatures.values())
    classes = (
        f"@type_check_only\nclass {kind.__name__}(Found):\n"
        + "".join(f"    {name}: {_type(kind, name)}\n" for name in kind.__annotations__)
        for kind in results
    )
    # Names without their modules
    functions = (
        f"def {name}{re.sub(r'(?:[a-z_]+[.])+(?=[A-Z])', '', str(signature))}: ...\n"
        for name, signature in signatures.items()
    )
    parts = (BEGIN, *imports, "\n__version__: str\n\n", *classes, *functions)
    text = "".join(parts)
    for step in (["check", "-q", "--fix", "--select", "I"], ["format"]):
        line = [sys.executable, "-m", "ruff", *step, "--stdin-filename", STUB, "-"]
        text = subprocess.run(
            line, input=text, capture_output=True, text=True, check=True
        ).stdout
    return text


def _type(kind, name):
    return "pd.DataFrame" if name in kind.specs else "Mapping[str, Any]"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
