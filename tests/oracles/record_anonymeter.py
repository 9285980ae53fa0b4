"""Record what anonymeter says of `anonymeter_people`, in `anonymeter.json`.

It asks for an older NumPy, so it has an environment of its own: `python -m venv DIR`,
`DIR/bin/pip install anonymeter==1.1.0` and `DIR/bin/python
tests/oracles/record_anonymeter.py`. The file changes with the files of people only.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator
from anonymeter_people import N_PAIRS, SECRET, A, B, pair

N_ATTACKS = 200


def answers(number: int) -> dict[str, list[float]]:
    people, made, others = map(pd.DataFrame, pair(number))
    files = {"ori": people, "syn": made, "control": others, "n_attacks": N_ATTACKS}
    np.random.seed(number)
    return {
        "linked": rate(LinkabilityEvaluator(aux_cols=(A, B), n_neighbors=1, **files)),
        "guessed": rate(InferenceEvaluator(aux_cols=A, secret=SECRET, **files)),
    }


def rate(evaluator: LinkabilityEvaluator | InferenceEvaluator) -> list[float]:
    """Return how often its attack is right, and the half of its 95 % interval."""
    found = evaluator.evaluate().results().attack_rate
    return [found.value, found.error]


if __name__ == "__main__":
    recorded = {name: version(name) for name in ("anonymeter", "pandas", "numpy")}
    recorded["pairs"] = [answers(number) for number in range(N_PAIRS)]
    path = Path(__file__).with_name("anonymeter.json")
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
