"""Synthetic twins: made-up releases in the raw form of the official ones."""

from microleak.sources.twin.higher_education.release import (
    write_higher_education_census,
)
from microleak.sources.twin.outpatient.release import write_outpatient
from microleak.sources.twin.pense.release import pense_persons, write_pense
from microleak.sources.twin.school.release import write_school_census

__all__ = [
    "pense_persons",
    "write_higher_education_census",
    "write_outpatient",
    "write_pense",
    "write_school_census",
]
