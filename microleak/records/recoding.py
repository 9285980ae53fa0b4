"""Codes of one release brought to values that another release has, too."""

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

        A missing value stays missing.

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
