"""Lists of an FTP server's directory, as MS-DOS wrote them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from microleak.errors import ArchiveError

_LINE = re.compile(
    r"(?P<date>\d\d-\d\d-(?:\d\d)?\d\d) +(?P<time>\d\d:\d\d(?:[AP]M)?) +"
    r"(?P<size><DIR>|\d+) +(?P<name>.+)",
    re.ASCII,
)


@dataclass(frozen=True)
class Listed:
    """A file in a list: its bytes, and when it was written, as the list says it."""

    n_bytes: int
    written: str


def files_listed(lines: Iterable[str], where: str) -> dict[str, Listed]:
    """Files of a list by name, without its folders.

    Parameters
    ----------
    where
        What is listed, for messages.

    Raises
    ------
    ArchiveError
        At a line that is not as MS-DOS writes it, or a second one for a file.

    Examples
    --------
    >>> lines = ["06-17-24  09:55AM       <DIR>          Old", "",
    ...          "06-17-24  09:55AM              8512345 PARR2301.dbc"]
    >>> files_listed(lines, "ftp://a.br/Dados/")
    {'PARR2301.dbc': Listed(n_bytes=8512345, written='06-17-24 09:55AM')}
    """
    files: dict[str, Listed] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if found is None or found["name"] in files:
            raise ArchiveError(
                f"{where}: line {number} of the server's list is not as MS-DOS lists a "
                "file: date, time, bytes and name, each name once. Fetch the files by "
                "hand and set archive to their folder, instead of url."
            )
        if found["size"] != "<DIR>":
            written = f"{found['date']} {found['time']}"
            files[found["name"]] = Listed(int(found["size"]), written)
    return files
