"""Synthetic twins of what the papers measure beside the School Census.

`twin` in config/sources/SOURCE.yaml names the one of each source.
"""

from papers.twins.higher_education.release import write_higher_education_census
from papers.twins.outpatient.release import write_outpatient
from papers.twins.pense.release import pense_persons, write_pense

__all__ = [
    "pense_persons",
    "write_higher_education_census",
    "write_outpatient",
    "write_pense",
]
