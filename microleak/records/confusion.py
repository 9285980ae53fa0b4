"""What values of a QID are taken for, as a study file says it of them."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from pydantic.dataclasses import dataclass as validated


@validated(frozen=True)
class Confusion:
    """How often each value is taken for each other one.

    Attributes
    ----------
    perceived
        What values are taken for, the empty text for a missing one.
    chances
        Of each true value, the empty text for a missing one, the chance of each of
        these, as a text of a fraction. Values that are not there are taken as they are.
    file
        Where this is written; empty if in no file.
    has_domain
        Whether the attribute has a domain, so that a value may be possible and yet
        absent.
    """

    perceived: tuple[str, ...]
    chances: dict[str, tuple[str, ...]]
    file: str = ""
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
