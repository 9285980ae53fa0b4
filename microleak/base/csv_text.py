"""Tables as the text of a CSV file, whose rows every reader ends at the same places."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd


def print_csv(table: "pd.DataFrame", file: TextIO) -> None:
    r"""Write a table as CSV to a file or terminal that translates no line ends.

    Values with a line end are in quotation marks, also those with a lone \r, at
    which readers end a row and which pandas quotes only where rows end so.
    """
    table.to_csv(_UnixEnds(file), index=False, lineterminator="\r\n")


def count_rows(path: Path) -> int:
    """Return how many rows a CSV has below its header."""
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        return max(0, sum(1 for _ in csv.reader(lines)) - 1)


class _UnixEnds:
    r"""Takes rows that end in \r\n, one at a time, and ends them in \n."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")
