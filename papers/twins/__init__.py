"""Synthetic twins: made-up releases in the raw form of the official ones.

`twin` in config/sources/SOURCE.yaml names the one of a source.
"""

from papers.twins.higher_education.release import write_higher_education_census
from papers.twins.outpatient.release import write_outpatient
from papers.twins.pense.release import pense_persons, write_pense
from papers.twins.school.release import write_school_census

__all__ = [
    "pense_persons",
    "write_higher_education_census",
    "write_outpatient",
    "write_pense",
    "write_school_census",
]
