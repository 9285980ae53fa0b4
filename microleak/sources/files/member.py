"""One released file, whose damage becomes an error that names it."""

import errno
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from gettext import gettext as _
from typing import BinaryIO, cast

from microleak.base.errors import ArchiveError, MicroleakError
from microleak.sources.files.tables import MadeText, is_plain, joined

# What to do with bytes that Python cannot unpack
UNPACK = "unpack it locally and set archive to the folder"
NOTE = "LEIA-ME-SINTETICO.txt"  # Name of the note that a twin puts beside what it makes

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
    RuntimeError,
    MemoryError,
)
"""What zipfile and its unpackers raise at bytes no zip has, found by trying them."""


@dataclass(frozen=True)
class Member:
    """One released file; `where` says it in messages, `n_most` bounds its bytes."""

    # `n_bytes` is what its archive's directory says, 0 where nothing does.
    name: str
    where: str
    n_bytes: int
    opened: Callable[[], BinaryIO] = field(repr=False, compare=False)
    n_most: int | None = None
    made: MadeText | None = None  # How text is made of it, if it is none

    @property
    def written(self) -> Mapping[str, str]:
        """How its text is written, where that is not as its definition says."""
        return self.made.written if self.made else {}

    @contextmanager
    def open(self, *, as_released: bool = False) -> Iterator[BinaryIO]:
        """Give the unpacked bytes; an `ArchiveError` tells of damaged or more ones."""
        with explained(self.where):
            file = self.opened()
            if self.made and not as_released:
                whole = file if is_plain(file) else cast(BinaryIO, _Checked(file, self))
                file = joined(self.made.text(whole, self.where))
        with closing(_Checked(file, self)) as checked:
            yield cast(BinaryIO, checked)


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn the unpackers' and the system's errors into one that names the member."""
    try:
        yield
    except MicroleakError:
        raise
    except NotImplementedError:
        raise ArchiveError(
            f"{where} is packed by a method that Python cannot read: {UNPACK}."
        ) from None
    except _DAMAGE as error:
        # The system failed, and not a number in the file: a place it has not.
        if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
            raise ArchiveError(
                f"{where} cannot be read ({error.strerror}). Check the file's "
                "permissions and its disk."
            ) from None
        said = _(
            "{where} is damaged or cut short (its checksum or structure is wrong). "
            "Fetch the release again."
        )
        raise ArchiveError(said, where=where) from None


def is_note(name: str) -> bool:
    return name.casefold() == NOTE.casefold()


def printable(name: str) -> str:
    """Name of a file as messages show it: what is not printable is escaped."""
    # An archive's maker chooses the names in it, and could steer a terminal.
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in name
    )


class _Checked(io.RawIOBase):
    """Bytes of a member; damage and excess become errors that name it."""

    def __init__(self, file: BinaryIO, member: Member) -> None:
        self._file = file
        self._member = member
        self._n_most = member.n_bytes if member.n_most is None else member.n_most
        self._n_left = self._n_most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Read up to so many bytes, and never more in all than the archive says."""
        with explained(self._member.where):
            data = self._file.read(size)
        self._n_left -= len(data)
        if self._n_left < 0:
            raise ArchiveError(
                f"{self._member.where}: unpacks to more than the {self._n_most} bytes "
                "that its archive says or may hold. Fetch the release again."
            )
        return data

    def close(self) -> None:
        self._file.close()
        super().close()
