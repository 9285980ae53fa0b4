"""What values of a QID are taken for, as a study file says it of them."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from pydantic.dataclasses import dataclass as validated


@validated(frozen=True)
class Confusion:
    """How often each value is taken for each other one."""

    perceived: tuple[str, ...]
    chances: dict[str, tuple[str, ...]]
    file: str = ""  # Where this is written
    has_domain: bool = False

    @cached_property
    def exact(self) -> Mapping[str | None, dict[str | None, Fraction]]:
        """Chances above 0 by true and perceived value; None is a missing one."""
        return {
            true or None: {
                value or None: Fraction(chance)
                for value, chance in zip(self.perceived, chances, strict=True)
                if Fraction(chance)
            }
            for true, chances in self.chances.items()
        }
