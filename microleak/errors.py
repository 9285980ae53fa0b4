"""What can be wrong with a study, its files or its settings.

Every message says what was found, where, what was expected and which setting
or file to change, in one line; none shows the content of a cell.
"""


class MicroleakError(Exception):
    """Anything a user can put right; shown as one line, without a traceback."""


class StudyError(MicroleakError):
    """The study file asks for something that does not exist or cannot be."""


class ArchiveError(MicroleakError):
    """A released file is missing, damaged, unsafe or not what was named."""


class TableError(MicroleakError):
    """A table's header, rows or values are not those its source releases."""


class VerificationError(MicroleakError):
    """Results are not the bytes their manifest lists."""
