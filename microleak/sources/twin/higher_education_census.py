"""How the Higher Education Census of a year spells its values."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from microleak.sources.twin.higher_education_people import Country
from microleak.sources.twin.text import Text, table

MOST_COURSES = 900_000
"""Courses whose codes have 7 digits."""

EARLIEST = 1900
"""Year that a position of 0 stands for."""

_FIRST_CODE = 1_000_000


@dataclass(frozen=True)
class Census:
    """What all records of one year share.

    Attributes
    ----------
    country
        Parameters, municipalities and courses.
    year
        Census year.
    offset
        Start of the identifiers, which depends on the seed.
    recodes
        Attribute -> this year's code -> the newest, for those that differ.
    """

    country: Country
    year: int
    offset: int
    recodes: Mapping[str, Mapping[str, str]]

    @cached_property
    def larger(self) -> dict[str, Text]:
        """Texts of the attributes that are not small codes, by position."""
        places, courses = self.country.places, self.country.courses
        institutions = range(1, int(courses.institution[-1]) + 2)
        years = table(range(EARLIEST, self.year + 1))
        return {
            "NU_ANO_CENSO": years,
            "NU_ANO_NASCIMENTO": years,
            "NU_ANO_INGRESSO": years,
            "NU_IDADE": table(range(130)),
            "NU_DIA_NASCIMENTO": table(range(1, 32)),
            "NU_MES_NASCIMENTO": table(range(1, 13)),
            "CO_PAIS_ORIGEM": table(range(1000)),
            "CO_UF_NASCIMENTO": table(places.state),
            "CO_MUNICIPIO_NASCIMENTO": table(places.code),
            "CO_IES": table(institutions),
            "CO_CURSO": table(range(_FIRST_CODE, _FIRST_CODE + len(courses))),
        }

    def texts(self, attribute: str) -> Text:
        """Texts of an attribute by position, as that year spells them."""
        if attribute in self.larger:
            return self.larger[attribute]
        newest = self.recodes.get(attribute, {})
        old = {new: code for code, new in newest.items()}
        return table([old.get(str(code), str(code)) for code in range(10)])
