"""Write envs/microleak.yaml, the pins of run.lock as conda takes them.

Snakemake copies the file to another folder before conda reads it, so it cannot point
to the lock. `make lock` calls this.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
HEAD = """\
# The pins of run.lock with their hashes, written by make lock: do not edit it here.
# For Snakemake with --sdm conda (docs/snakemake.md), or as an environment of your own.
channels: [conda-forge, nodefaults]
dependencies:
  - python=3.11
  - pip
  - pip:
"""


def pins(lock: str) -> list[str]:
    """Return each requirement of a lock in one line, with its hashes."""
    return re.sub(r"\s*\\\n\s*", " ", lock).splitlines()


def environment(lock: str) -> str:
    """Return the environment file of a lock."""
    lines = [f"      - >-\n        {pin}" for pin in pins(lock)]
    text = "\n".join(lines).replace(" --hash", "\n        --hash")
    return f"{HEAD}{text}\n"


if __name__ == "__main__":
    lock = (HERE / "run.lock").read_text(encoding="utf-8")
    (HERE / "microleak.yaml").write_text(environment(lock), encoding="utf-8")
