"""What a family of attacks is to everything else: its modules, by their names.

Every module of a family imports this with its package, so it is code of all jobs: it
imports nothing of microleak, and says no more than where things are.
"""

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any


class Family:
    """A family of attacks, in the folder `microleak/attacks/NAME/`.

    Its `section`, `part` and so on refer to a module, or to `MODULE:NAME` within one,
    so that a job that needs one family does not import the others. They are empty if
    the family has no such module.

    Parameters
    ----------
    name
        Its key below `analyses` of a study file, and the wildcard of its analyses.
    functions
        Names in `microleak` of its functions on frames, if not its own alone.
    part, publish
        Where its `microleak.report.families.Shown` and its
        `microleak.step.Publication` are in its package.
    check
        What refuses an analysis before any job begins, given it and the MB that a
        job may use.
    """

    def __init__(
        self,
        name: str,
        *,
        functions: tuple[str, ...] = (),
        part: str = "report:SHOWN",
        publish: str = "publish:PUBLICATION",
        check: str = "",
    ) -> None:
        """Find what is there by the names that modules have in every family."""
        self.name = name
        self.package = f"microleak.attacks.{name}"
        self.functions = functions or (name,)
        self.section = self._found("section")
        self.jobs = self._found("jobs")
        self.frames = self._found("frames")
        self.part = self._found(part)
        self.publish = self._found(publish)
        self.risks = self._found("risks:RISKS")
        self.check = self._found(check)

    def _found(self, reference: str) -> str:
        """Return a reference from anywhere, empty if there is no such module."""
        module = reference.partition(":")[0].replace(".", "/")
        file = Path(__file__).parent / "attacks" / self.name / f"{module}.py"
        return f"{self.package}.{reference}" if file.is_file() else ""

    @property
    def estimate(self) -> str:
        """What yields the costs of its profiles (`microleak.step.Costs`) of a study."""
        return _within(self.jobs, "costs")

    @property
    def told(self) -> str:
        """What returns of its part of a study file what may be told."""
        return _within(self.section, "told")

    @property
    def tables(self) -> Mapping[str, Any]:
        """Its result tables by name (`TableSpec`), as its tables.yaml has them."""
        found: Mapping[str, Any] = load("microleak.tables.spec:tables_of")(self.package)
        return found

    @property
    def modules(self) -> list[str]:
        """What says which jobs a study has of it."""
        return [self.section, *filter(None, [self.jobs])]

    @cached_property
    def steps(self) -> Any:
        """Its rules, each with what yields the jobs of a study (`Steps`)."""
        if self.jobs:
            return load(self.jobs).STEPS
        return load("microleak.step:one_step")(self.name)


def _within(module: str, name: str) -> str:
    """Return a reference to what a module has by this name, empty if it has not."""
    return f"{module}:{name}" if module and hasattr(load(module), name) else ""


def load(reference: str) -> Any:
    """Return a module, or what `MODULE:NAME` refers to within one."""
    module, _, name = reference.partition(":")
    loaded = import_module(module)
    return getattr(loaded, name) if name else loaded


def steps_of(family: Family) -> list[Any]:
    """Return the steps of a family; one that two share is of both."""
    return [step for step, _ in family.steps]
