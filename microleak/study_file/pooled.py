"""Pooled releases as a study file gives them: the records of several as one table."""

from typing import Annotated

from pydantic import Field

from microleak.study_file.section import Attribute, Different, Section, Text


class PoolSection(Section):
    """A release that is made of others of its table: their records, one table."""

    table: str
    """Which table; the pooled release is one more release of it. Its records must not
    be of persons whom an identifier names, as someone who is in two of the releases
    would count twice."""

    releases: Annotated[tuple[Text, ...], Field(min_length=2), Different()]
    """Which releases of it, or protected ones; no two are made of the same release, as
    its records would count twice."""

    attribute: Attribute
    """Name of one more attribute that a record then has, the name of the release that
    it is of, as an adversary may know the state where files are by state. It may be a
    QID as any other; a column of that name in a delimited file is not read."""
