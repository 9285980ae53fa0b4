"""What values are in the coding that releases share, or are taken for."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
from pydantic.dataclasses import dataclass as validated

from microleak.base.errors import TableError, count_of


@validated(frozen=True)
class Recoding:
    """What each code of an attribute is in the coding that releases share."""

    common: dict[str, str]  # The common value of each code
    file: str = ""  # Where this is written

    def recoded(self, values: pa.Array, said: str) -> pa.Array:
        """Return the common value of each value, in the same order and of its type.

        >>> stages = Recoding({"41": "high school", "42": "high school"})
        >>> stages.recoded(pa.array(["41", None, "42"]), "stages").to_pylist()
        ['high school', None, 'high school']
        """
        place = pc.index_in(values, pa.array([*self.common], values.type))
        lacking = place.null_count - values.null_count
        if lacking:
            where = self.file or "recoded in the study file"
            raise TableError(
                f"{said} has {count_of(lacking, 'value')} without a common value in "
                f"{where}. Add what is lacking."
            )
        return pa.array([*self.common.values()], values.type).take(place)


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
