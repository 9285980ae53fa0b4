"""Write the skeleton of a family of attacks: python -m tests.contract.new_family NAME.

It is the family `toy` under another name, which runs as it is; what is to be changed
is printed.
"""

import re
import sys
from pathlib import Path

from microleak.base.paths import ROOT
from microleak.families import NAMES

TOY = Path(__file__).with_name("toy")
PLACES = {
    "family": "microleak/attacks/{name}",
    "rule.smk": "workflow/rules/{name}.smk",
    "script.txt": "scripts/{name}.py",
    "study.yaml": "config/examples/{name}.yaml",
    "test.txt": "tests/attacks/{name}/test_{name}.py",
}
"""Where each part of the toy stands in a family of another name."""

LISTS = (
    ("microleak/families.py", ')\n"""In the order of the page', '    "{name}",\n'),
    (
        "workflow/Snakefile",
        'include: "rules/pages.smk"',
        'include: "rules/{name}.smk"\n',
    ),
)
"""Files that list families, what stands behind the last one, and its line."""

CHECKLIST = """\
{files} are written, and {name} is listed in microleak/families.py and
workflow/Snakefile. Now, in this order:
1. section.py: keys of an analysis, with a text each; what cannot be, in `checked` and
   `read_one`.
2. measure.py: the equations, with their sources, and `measured`; tables.yaml: tables
   and columns. More than one step: jobs.py (docs/architecture.md).
3. workflow/rules/{name}.smk and scripts/{name}.py: what the step reads and makes.
4. report.py and texts.yaml: its part of the page, in two languages. Risks to persons:
   risks.py. What a page must know beside tables: publish.py.
5. Values given on frames, a second frame, rows of a notebook: frames.py.
6. config/examples/{name}.yaml: a study that runs in seconds.
7. tests/attacks/{name}: the paper's numbers, a property against a naive definition,
   an oracle; `EXAMPLES`, rows of its tables for the contract tests.
8. Documentation: a section of docs/formulas.md, a row of docs/python.md.
Then: make docs, make check, microleak run config/examples/{name}.yaml,
      python -m tests.contract.measures --renew {name},
      pytest tests/contract tests/docs tests/attacks/{name}
"""


def install(root: Path, name: str) -> list[Path]:
    """Write the toy under a name into a checkout, and return its files."""
    written = []
    for part, pattern in PLACES.items():
        source, place = TOY / part, root / pattern.format(name=name)
        files = [source] if source.is_file() else sorted(source.rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                out = place if file == source else place / file.relative_to(source)
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(named(file.read_text("utf-8"), name), "utf-8")
                written.append(out)
    for place, before, line in LISTS:
        listed = root / place
        text = listed.read_text(encoding="utf-8")
        assert before in text, place
        added = line.format(name=name) + before
        listed.write_text(text.replace(before, added), encoding="utf-8")
        written.append(listed)
    return written


def named(text: str, name: str) -> str:
    """Return a text of the toy's with another name in its place."""
    title = "".join(map(str.capitalize, name.split("_")))
    return re.sub(r"\bToy\b", title, re.sub(r"(?<![a-z])toy(?![a-z])", name, text))


def main(name: str) -> None:
    if not re.fullmatch("[a-z][a-z_]*", name) or name in NAMES:
        sys.exit(f"{name} cannot be its name: new, of small letters and _.")
    files = install(ROOT, name)
    print(CHECKLIST.format(name=name, files=f"{len(files) - len(LISTS)} files"))


if __name__ == "__main__":
    main(*sys.argv[1:])
