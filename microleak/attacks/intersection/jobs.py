"""The step of independent releases, which reads all of them."""

from microleak.step import one_step, people

STEPS = one_step(
    "intersection",
    lambda of: {"releases": tuple(people(of.table, r) for r in of.releases)},
)
