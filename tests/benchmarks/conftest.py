import json
from importlib import import_module

import pytest

from benchmarks.process import Outcome


@pytest.fixture(scope="module")
def calls():
    """Measured calls run in this process; their names as they are made."""
    made = []

    def measured(call, arguments, limits):
        made.append(call.partition(":")[2])
        module, name = call.split(":")
        given = json.loads(json.dumps(dict(arguments)))
        answer = getattr(import_module(module), name)(**given)
        return Outcome("finished", 1.0, 2.0, 300, json.loads(json.dumps(answer)))

    with pytest.MonkeyPatch.context() as patch:
        for module in ("process", "run"):
            patch.setattr(f"benchmarks.{module}.measured", measured)
        yield made
