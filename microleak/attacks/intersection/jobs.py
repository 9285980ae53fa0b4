"""The step of independent releases, which reads all of them."""

from typing import Any

from microleak.step import Paths, one_step, people


def _releases(analysis: Any) -> dict[str, Paths]:
    return {"releases": tuple(people(analysis.table, r) for r in analysis.releases)}


STEPS = one_step("intersection", _releases)
