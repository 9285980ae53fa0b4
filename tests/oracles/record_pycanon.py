"""Record what pyCANON says of the tables of `pycanon_people`, in `pycanon.json`.

It asks for the very versions of pandas and NumPy that it names, so it has an
environment of its own: `python -m venv DIR`, `DIR/bin/pip install pycanon==1.3.6` and
`DIR/bin/python tests/oracles/record_pycanon.py`. The file changes with the tables only.
"""

import json
from collections.abc import Iterator
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import pandas as pd
from pycanon import anonymity
from pycanon_people import QIDS, TABLES, people

GRADE = ["grade"]


def answers(table: str) -> dict[str, dict[str, float]]:
    texts = pd.DataFrame(people(table))
    return {"|".join(qids): measured(texts, list(qids)) for qids in subsets()}


def subsets() -> Iterator[tuple[str, ...]]:
    for size in range(1, len(QIDS) + 1):
        yield from combinations(QIDS, size)


def measured(texts: pd.DataFrame, qids: list[str]) -> dict[str, float]:
    """Return its numbers of one subset; texts have the equal distance of values."""
    numbers = texts.assign(grade=texts["grade"].astype(int))
    return {
        "k": int(anonymity.k_anonymity(texts, qids)),
        "l_distinct": int(anonymity.l_diversity(texts, qids, GRADE)),
        "l_entropy": int(anonymity.entropy_l_diversity(texts, qids, GRADE)),
        "alpha": float(anonymity.alpha_k_anonymity(texts, qids, GRADE)[0]),
        "t_equal": float(anonymity.t_closeness(texts, qids, GRADE)),
        "t_ordered": float(anonymity.t_closeness(numbers, qids, GRADE)),
    }


if __name__ == "__main__":
    recorded = {name: version(name) for name in ("pycanon", "pandas", "numpy")}
    recorded["tables"] = {table: answers(table) for table in TABLES}
    path = Path(__file__).with_name("pycanon.json")
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
