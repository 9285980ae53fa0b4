"""Members of a released archive, found by base name and read without extraction.

No name inside an archive is ever used as a path. What a member may unpack to is
capped, and what cannot be read whole is refused by file and member.
"""

import re
import stat
import struct
import tempfile
import zipfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from microleak.base.errors import ArchiveError
from microleak.sources.files.copies import without_copies
from microleak.sources.files.foreign import HEAD_BYTES, foreign_format, refuse_foreign
from microleak.sources.files.member import UNPACK, Member, explained, is_note, printable
from microleak.sources.files.tables import (
    ENDINGS,
    PACKED_ENDINGS,
    SHEET,
    made,
    unpacked,
)

if TYPE_CHECKING:
    from microleak.sources.definitions.definition import SourceDefinition

_MIB = 1 << 20
_GIB = 1 << 30
_ENCRYPTED = 0x1
_TEXT = ("", ".csv", ".txt")
_UNREADABLE = (".rar", ".7z", ".lz4", ".lzma", ".z", ".tar")
_TABLE = re.compile(rf"(\.[ct]sv|{ENDINGS})$", re.IGNORECASE)
_ABOUT = re.compile(
    r"(\d+[ ._-]*)?(_*read[ ._-]?(me|first)|leia[ ._-]?(me|isto)?|change[ ._-]?log|"
    r"licen[cs]e|licen[cç]a|copying|citation|disclaimer|terms[ ._-]?of[ ._-]?use)"
    r"([ ._(-].*)?\.txt",
    re.IGNORECASE,
)
"""Names of texts about a release, which lie beside its tables."""

_ZIP_MAGIC = b"PK\x03\x04"
_ZIP_HEADER_BYTES = 30  # Before each member of a zip, with its name


@dataclass(frozen=True)
class Caps:
    """How much an archive may unpack to before it is taken for a bomb."""

    # Most bytes of one member, and of all; most a packed byte, above so many; and how
    # deep zips may lie within each other.
    member_bytes: int = 400 * _GIB
    total_bytes: int = 400 * _GIB
    ratio: int = 200
    ratio_from_bytes: int = 64 * _MIB
    depth: int = 2


DEFAULT_CAPS = Caps()


class NoMemberError(ArchiveError):
    """An archive has no member of the release, but files of these base names."""

    def __init__(self, message: str, names: Sequence[str]) -> None:
        super().__init__(message)
        self.names = tuple(names)


def released_files(path: Path, definition: "SourceDefinition") -> Generator[Member]:
    sheet = definition.sheet, definition.release
    return members(path, definition.members, sheet=sheet)


def members(
    path: Path,
    pattern: str,
    caps: Caps = DEFAULT_CAPS,
    sheet: tuple[str | None, str] = (None, ""),
) -> Generator[Member]:
    r"""Files of a release whose base name matches, in a fixed order.

    They come sorted by base name, ignoring case; a zip inside takes its place
    by its own name, and its members come sorted in the same way. A member can
    be opened, any number of times, until the next one is asked for: zips inside
    zips are unpacked one at a time to a temporary file without a name.

    `path` is a zip, a folder (zips among its files are opened, and links are followed
    within it) or any other file, which is its own only member whatever its name. What
    gzip, bzip2, xz or Zstandard packed is unpacked and loses the ending of its name.
    The pattern matches whole base names: those of folders are garbled in old zips.
    Where it matches none, a workbook or another table stands for the CSV of its name.
    """
    regex = re.compile(pattern, re.IGNORECASE)

    def found() -> Generator[Member]:
        try:
            yield from _Walk(Path(path), regex, caps, sheet).members()
        except NoMemberError:
            yield from _Walk(Path(path), regex, caps, sheet, True).members()

    yield from without_copies(found)


def archive_setting() -> str:
    return _("archive under releases in the study file")


def check_exists(path: Path) -> None:
    if not path.exists():
        said = _("{path} does not exist. Correct {setting}.")
        raise ArchiveError(said, path=path, setting=archive_setting())
    if not (path.is_file() or path.is_dir()):
        said = _("{path} is neither a file nor a folder. Correct {setting}.")
        raise ArchiveError(said, path=path.name, setting=archive_setting())


def files_read(path: Path, pattern: str) -> list[Path]:
    """Files in which an archive's members lie, sorted: itself, or those of a folder."""
    if not path.is_dir():
        return [path]
    regex = re.compile(pattern, re.IGNORECASE)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    zips = [file for file in files if file.suffix.lower() == ".zip"]
    texts = [file for file in files if _is_wanted(file.name, regex)]
    tables = [file for file in files if _is_wanted(file.name, regex, are_tables=True)]
    return sorted({*zips, *(texts or tables)})


def _is_wanted(name: str, regex: re.Pattern[str], *, are_tables: bool = False) -> bool:
    name = _unpacked_name(name)
    if are_tables:
        name = re.sub(ENDINGS + "$", ".csv", name, flags=re.IGNORECASE)
    return regex.fullmatch(name) is not None


def _unpacked_name(name: str) -> str:
    return Path(name).stem if name.lower().endswith(PACKED_ENDINGS) else name


def is_zip(path: Path) -> bool:
    """Whether a file is a zip and no workbook, by its ending or its first bytes."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    is_workbook = re.match(SHEET, head, re.DOTALL) is not None
    is_called_so = path.suffix.lower() == ".zip"
    return not is_workbook and (is_called_so or head.startswith(_ZIP_MAGIC))


@dataclass
class _Walk:
    """One pass over an archive: what was met, and how much it unpacks to."""

    _path: Path
    _regex: re.Pattern[str]
    _caps: Caps
    _sheet: tuple[str | None, str]
    _are_tables: bool = False
    _claimed: set[str] = field(default_factory=set)
    _names: list[str] = field(default_factory=list)
    _unreadable: list[str] = field(default_factory=list)
    _others: list[str] = field(default_factory=list)
    _n_bytes: int = 0
    _n_packed: int = 0

    def members(self) -> Generator[Member]:
        """Yield the members, those of archives inside it too."""
        check_exists(self._path)
        if self._path.is_dir():
            yield from self._among(self._folder(), 0)
        elif is_zip(self._path):
            self._check_whole()
            self._n_packed = self._path.stat().st_size
            with self._path.open("rb") as file:
                yield from self._zipped(file, self._path.name, 0)
        else:
            yield self._claim(self._file(self._path, self._path.name))
        self._check_complete()

    def _check_whole(self) -> None:
        """Refuse what is no zip, but has its ending or begins as one."""
        if zipfile.is_zipfile(self._path):
            return
        with self._path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        if not head.startswith(_ZIP_MAGIC):
            refuse_foreign(head, self._path.name)
        if not head or self._path.suffix.lower() != ".zip":
            said = _(
                "{file} is empty, or begins as a zip or a spreadsheet does and is "
                "damaged or cut short. Save the spreadsheet as CSV, or get the file "
                "anew."
            )
            raise ArchiveError(said, file=self._path.name)

    def _folder(self) -> Iterator[Member]:
        """Give the files below the folder; refuse what is no file, or elsewhere."""
        root = self._path.resolve()
        for path in self._path.rglob("*"):
            said = f"{self._path.name}: {printable(path.name)}"
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise ArchiveError(
                    f"{said} is a link that leads out of the folder. Put what it leads "
                    "to in its place."
                )
            if path.is_file():
                where = f"{self._path.name}: {printable(_unpacked_name(path.name))}"
                yield self._file(path, where)
            elif not path.is_dir():
                raise ArchiveError(
                    f"{said} is neither a file nor a folder. Remove it from the folder."
                )

    def _file(self, path: Path, where: str) -> Member:
        n_bytes, name = path.stat().st_size, _unpacked_name(path.name)
        self._n_packed += n_bytes
        return Member(name, where, n_bytes, lambda: path.open("rb"))

    def _zipped(self, file: BinaryIO, where: str, depth: int) -> Iterator[Member]:
        with explained(where):
            archive = zipfile.ZipFile(file)
        with archive:
            _check_overlap(archive, where)
            infos = (info for info in archive.infolist() if not info.is_dir())
            entries = [self._zip_entry(archive, info, where) for info in infos]
            self._check_note(entries, where, depth)
            yield from self._among(entries, depth)

    def _check_note(self, entries: Sequence[Member], where: str, depth: int) -> None:
        """Refuse a twin's zip where its note was not seen before the study ran."""
        is_seen = depth == 0 or (depth == 1 and self._path.is_dir())
        if not is_seen and any(is_note(entry.name) for entry in entries):
            raise ArchiveError(
                f"{where} is synthetic, which is not seen in a zip within a zip. Take "
                "it out and set archive to it."
            )

    def _zip_entry(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str
    ) -> Member:
        name = _unpacked_name(_base_name(info, where))
        where = f"{where}: {printable(name)}"

        def opened() -> BinaryIO:
            self._check_info(info, where)
            return cast(BinaryIO, archive.open(info))

        return Member(name, where, info.file_size, opened)

    def _check_info(self, info: zipfile.ZipInfo, where: str) -> None:
        if info.flag_bits & _ENCRYPTED:
            raise ArchiveError(f"{where} is encrypted: {UNPACK}.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ArchiveError(f"{where} is a symbolic link, not a file.")
        if (
            info.file_size > self._caps.ratio_from_bytes
            and info.file_size > self._caps.ratio * info.compress_size
        ):
            raise ArchiveError(
                f"{where} would unpack to more than {self._caps.ratio} times its "
                "packed size, as a zip bomb does. Unpack it locally if it is right, "
                "and set archive to the folder."
            )

    def _among(self, entries: Iterable[Member], depth: int) -> Iterator[Member]:
        """Give the members among some entries, and in the zips among them."""
        some = (entry for entry in entries if not entry.name.startswith("."))
        visible = [entry for entry in some if not is_note(entry.name)]
        if any(_TABLE.search(entry.name) for entry in visible):
            visible = [each for each in visible if not _ABOUT.fullmatch(each.name)]
        self._names += [entry.name for entry in visible]
        for entry in sorted(visible, key=lambda e: (e.name.casefold(), e.name)):
            suffix = Path(entry.name).suffix.lower()
            if _is_wanted(entry.name, self._regex, are_tables=self._are_tables):
                yield self._claim(entry)
            elif suffix == ".zip":
                yield from self._nested(entry, depth + 1)
            elif suffix in _UNREADABLE:
                self._unreadable.append(entry.name)
            elif not self._claimed and (
                said := foreign_format(_head(entry), entry.where)
            ):
                self._others.append(said)

    def _nested(self, entry: Member, depth: int) -> Iterator[Member]:
        if depth > self._caps.depth:
            raise ArchiveError(
                f"{entry.where} is a zip inside more than {self._caps.depth} zips: "
                f"{UNPACK}."
            )
        self._spend(entry)
        with tempfile.TemporaryFile() as spool, entry.open() as file:
            while data := file.read(_MIB):
                spool.write(data)
            yield from self._zipped(cast(BinaryIO, spool), entry.where, depth)

    def _claim(self, entry: Member) -> Member:
        if entry.name.casefold() in self._claimed:
            raise ArchiveError(
                f"{entry.where}: a second member has this name. Keep one of them in a "
                "folder and set archive to it."
            )
        self._claimed.add(entry.name.casefold())
        entry, head = self._unpacked(entry)
        self._spend(entry)
        if (made_of := made(head, *self._sheet)) is None:
            return entry
        n_most = entry.n_most or self._caps.member_bytes
        return replace(entry, n_bytes=0, n_most=n_most, made=made_of)

    def _unpacked(self, entry: Member) -> tuple[Member, bytes]:
        """Return an entry as it is when unpacked, and its first bytes."""
        head = _head(entry)
        if (unpack := unpacked(head)) is None:
            return entry, head
        n_most = max(self._caps.ratio_from_bytes, self._caps.ratio * entry.n_bytes)
        n_most = min(n_most, self._caps.member_bytes)
        n_bytes = min(_n_unpacked(entry), n_most) if head[:2] == b"\x1f\x8b" else 0
        plain = replace(
            entry,
            n_bytes=n_bytes,
            opened=lambda: unpack(entry.opened()),
            n_most=n_most,
        )
        return plain, _head(plain)

    def _spend(self, entry: Member) -> None:
        n_bytes, where = entry.n_bytes, entry.where
        self._n_bytes += n_bytes
        if n_bytes > self._caps.member_bytes or self._n_bytes > self._caps.total_bytes:
            raise ArchiveError(
                f"{where} would unpack to {n_bytes} bytes, {self._n_bytes} with those "
                f"before it; at most {self._caps.member_bytes} are read from a member "
                f"and {self._caps.total_bytes} in all."
            )
        n_most = max(self._caps.ratio_from_bytes, self._caps.ratio * self._n_packed)
        if self._n_bytes > n_most:
            raise ArchiveError(
                f"{where} would unpack to more than {self._caps.ratio} times the size "
                "of the archive, with those before it, as a zip bomb does. Unpack it "
                "locally if it is right, and set archive to the folder."
            )

    def _check_complete(self) -> None:
        """Refuse an archive with no member, or with one that only a rar holds."""
        stems = self._claimed | {Path(name).stem for name in self._claimed}
        for name in self._unreadable:
            stem = Path(name).stem
            fits = any(self._regex.fullmatch(stem + suffix) for suffix in _TEXT)
            if stem.casefold() not in stems and (fits or not self._claimed):
                raise ArchiveError(
                    f"{self._path.name}: {printable(name)} cannot be read here: "
                    f"{UNPACK}."
                )
        if not self._claimed:
            raise NoMemberError(self._no_member(), self._names)

    def _no_member(self) -> str:
        if not self._names:
            said = _("{file} is empty: it holds no file. Correct {setting}.")
        else:
            said = _(
                "{file} contains no file whose name matches {pattern}. Correct "
                "{setting}, or members in config/sources/."
            )
        said = said.format(
            file=self._path.name, pattern=self._regex.pattern, setting=archive_setting()
        )
        return " ".join([said, *self._others[:1]])


def _head(entry: Member) -> bytes:
    """Return the first bytes of a file; none of one that cannot be read."""
    with suppress(ArchiveError), explained(""), entry.opened() as file:
        return file.read(HEAD_BYTES)
    return b""


def _base_name(info: zipfile.ZipInfo, where: str) -> str:
    parts = re.split(r"[/\\]", info.orig_filename)
    if not parts[0] or ".." in parts or re.match("[A-Za-z]:", parts[0]):
        raise ArchiveError(
            f"{where}: {printable(parts[-1])} is stored under a path that leads out "
            "of the archive; such a file is not opened. Fetch the release again."
        )
    return parts[-1]


def _check_overlap(archive: zipfile.ZipFile, where: str) -> None:
    """Refuse members that share bytes, which Python itself sees from 3.11.8 on."""
    infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
    ends = [info.header_offset for info in infos[1:]] + [archive.start_dir]
    for info, end in zip(infos, ends, strict=False):
        if info.header_offset + _ZIP_HEADER_BYTES + info.compress_size > end:
            raise ArchiveError(
                f"{where}: {printable(_base_name(info, where))} overlaps what follows "
                "it, as in a zip bomb. Fetch the release again."
            )


def _n_unpacked(entry: Member) -> int:
    """Bytes of a gzipped file when unpacked, as its end says, which tells the rest."""
    with entry.opened() as file:
        file.seek(max(0, entry.n_bytes - 4))
        (n_bytes,) = struct.unpack("<I", file.read(4).ljust(4, b"\0"))
    while 2 * n_bytes + _MIB < entry.n_bytes:
        n_bytes += 1 << 32
    return int(n_bytes)
