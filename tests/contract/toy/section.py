"""The analysis, and its part of the study file."""

from microleak.study_file.section import Name, Section


class Toy(Section):
    """Values of an attribute."""

    name: Name
    """A name for its results."""

    table: str
    """The table."""

    focal: str
    """The release."""

    attribute: str
    """The attribute."""

    @property
    def needs(self):
        """The release with its attribute."""
        yield self.table, self.focal, (self.attribute,)


SECTION = Toy


def read(context, sections):
    """Return the analyses; their tables and releases must be there."""
    for each in sections:
        context.table(each.table, (each.focal,), f"{context.path}: {each.name}")
    return list(sections)
