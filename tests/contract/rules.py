"""What the files of workflow/rules say of each rule, read as text."""

import re
from dataclasses import dataclass
from functools import cache

from microleak.paths import ROOT


@dataclass(frozen=True)
class Rule:
    """A rule: its file, the modules of its fingerprint, the results it makes."""

    file: str
    modules: tuple[str, ...]
    outputs: tuple[str, ...]


@cache
def rules():
    """Every rule by its name."""
    found = {}
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text("utf-8")
        head, *parts = re.split(r"^rule (\w+):$", text, flags=re.M)
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            code = head if "code=PAGES" in body else body
            modules = tuple(re.findall(r'"(microleak\.[\w.]+)"', code))
            made = re.search(r"^    output:\n((?: {8}.*\n)+)", body, flags=re.M)[1]
            outputs = re.findall(r'\{OUT\}/([^"]+)"', made)
            plain = tuple(re.sub(r"\{\{(\w+)\}\}", r"\1", each) for each in outputs)
            found[name] = Rule(path.stem, modules, plain)
    return found
