"""The files of a release, from a directory of an FTP server to a folder.

What arrived stays: files are resumed where a connection broke, and are checked,
not fetched, when all of them are there.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from microleak.base.errors import ArchiveError, StudyError
from microleak.base.files import sha256_of, whole_file, write_text
from microleak.base.progress import Advance, progress
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.fetch import attempts, ftp
from microleak.sources.files.months import (
    MONTHS,
    check_months,
    is_of_release,
    months_of,
)

# Name of the file that has them, a line a file as `sha256sum` writes it
SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
# Base name of a file -> SHA-256 of its bytes, 64 lower-case hexadecimal digits
Sums = Mapping[str, str]


def read_sums(folder: Path) -> dict[str, str]:
    path = folder / SUMS
    if not path.exists():
        return {}
    sums: dict[str, str] = {}
    lines = path.read_text("utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        found = _LINE.fullmatch(line)
        if found is None or found[2] in sums:
            raise ArchiveError(
                f"{folder.name}: {SUMS}, line {number}: a hash, two blanks and the "
                "name of a file expected, each file once. Correct the line."
            )
        sums[found[2]] = found[1].lower()
    return sums


def sums_text(sums: Sums) -> str:
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def check_sums(folder: Path, found: Sums) -> None:
    known = read_sums(folder)
    for name, sha256 in found.items():
        if known and name not in known:
            raise ArchiveError(
                f"{folder.name}: {name} is not in {SUMS}. Remove the file, or add its "
                "line there."
            )
        if known and known[name] != sha256:
            raise ArchiveError(
                f"{folder.name}: {name} has SHA-256 {sha256}, {known[name]} when first "
                f"seen ({SUMS}): it was changed. Fetch it again."
            )


# Name of the file that holds what the server's list said of the release's files
LISTING = "listing.json"
Listing = Mapping[str, ftp.ListedFile]  # What the server's list says of files, by name
_KEPT = f"what came is kept. {ftp.BY_HAND}"


def collect(
    url: str, folder: Path, definition: SourceDefinition, complete: Path
) -> int:
    """Fetch the files of a release, each whole, and note or check their SHA-256."""
    if not definition.is_monthly:
        raise StudyError(
            f"url {attempts.shown(url)}: a release of {definition.source} is one file; "
            "url must begin with https:// or http://. Correct url in the study file."
        )
    place = ftp.directory(url)
    folder.mkdir(parents=True, exist_ok=True)
    files = _Files(place, folder)
    n_known = len(read_sums(folder))
    if not files.are_complete(definition):
        files.fetch(definition)
    sums = read_sums(folder)
    write_text(complete, sums_text(sums))
    return len(sums) - n_known


@dataclass(frozen=True)
class _Files:
    """Files of a release on their way from a directory to a folder."""

    place: ftp.Directory
    folder: Path

    @property
    def where(self) -> str:
        return attempts.shown(self.place.url)

    def are_complete(self, definition: SourceDefinition) -> bool:
        """Whether all files of a whole year's list are there, unchanged."""
        # Of a year that ends before December, more may have been published.
        sums, listing = read_sums(self.folder), self._first_seen()
        if not listing or set(sums) != set(listing):
            return False
        check_months(self.where, listing, definition)
        if months_of(listing, definition) < len(MONTHS):
            return False
        return all(self._is_there(name, sums) for name in listing)

    def fetch(self, definition: SourceDefinition) -> None:
        listed = partial(ftp.listed, self.place)
        found = attempts.persist(listed, lambda: 0, self.place.url, _KEPT)
        listing = {
            name: found[name]
            for name in sorted(found)
            if is_of_release(name, definition)
        }
        check_months(self.where, found, definition)
        sums = read_sums(self.folder)
        self._see(listing, sums)
        wanted = [name for name in listing if not self._is_there(name, sums)]
        parts = [part for part in map(self._part, wanted) if part.exists()]
        n_left = sum(listing[name].n_bytes for name in wanted)
        n_left -= sum(part.stat().st_size for part in parts)
        attempts.check_room(self.folder, n_left)
        with progress("fetching", n_left) as advance:
            for name in wanted:
                self._fetch_file(name, listing[name], advance)

    def _first_seen(self) -> dict[str, ftp.ListedFile]:
        path = self.folder / LISTING
        if not path.exists():
            return {}
        try:
            content = json.loads(path.read_bytes())
            return {name: ftp.ListedFile(**entry) for name, entry in content.items()}
        except (ValueError, TypeError, AttributeError):
            raise ArchiveError(
                f"{path} is damaged. Delete {self.folder} and run again."
            ) from None

    def _see(self, listing: Listing, sums: Sums) -> None:
        """Note a list; refuse it if a file that is here was changed on the server."""
        before = self._first_seen()
        for name in sums:
            if listing.get(name) != before.get(name):
                raise ArchiveError(
                    f"{self.where}: {name} was changed on the server, or removed, "
                    "since it was first seen. To take the release as it is now, "
                    f"delete {self.folder} and run again."
                )
        for name in listing:
            if listing[name] != before.get(name):
                self._part(name).unlink(missing_ok=True)
        content = {name: asdict(entry) for name, entry in listing.items()}
        text = json.dumps(content, sort_keys=True, indent=2)
        write_text(self.folder / LISTING, text + "\n")

    def _is_there(self, name: str, sums: Sums) -> bool:
        path = self.folder / name
        return name in sums and path.is_file() and sha256_of(path) == sums[name]

    def _part(self, name: str) -> Path:
        return self.folder / f"{name}.part"

    def _fetch_file(self, name: str, entry: ftp.ListedFile, advance: Advance) -> None:
        part = self._part(name)
        with part.open("ab") as file:
            attempts.lock(file, part)
            if file.tell() < entry.n_bytes:
                fetch = partial(ftp.receive, self.place, name, entry, file, advance)
                attempts.persist(fetch, file.tell, self.place.url, _KEPT)
            self._note(name, part, entry)
            with whole_file(self.folder / name) as aside:
                part.replace(aside)

    def _note(self, name: str, part: Path, entry: ftp.ListedFile) -> None:
        sums = read_sums(self.folder)
        found, n_bytes = sha256_of(part), part.stat().st_size
        known = sums.setdefault(name, found)
        if n_bytes != entry.n_bytes:
            fault = f"has other bytes than the {entry.n_bytes} of the list"
        elif what := attempts.other_kind(part):
            fault = f"is {what}, not a released file"
        elif found != known:
            fault = f"has SHA-256 {found}, {known} when first seen"
        else:
            write_text(self.folder / SUMS, sums_text(sums))
            return
        part.unlink()
        raise ArchiveError(
            f"{self.where}: {name} {fault}. Try again later. {ftp.BY_HAND}."
        )
