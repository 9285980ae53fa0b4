"""Synthetic twins: made-up releases in the raw form of the official ones."""

from microleak.sources.twin.school.release import write_school_census

__all__ = ["write_school_census"]
