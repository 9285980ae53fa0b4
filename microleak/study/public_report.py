"""The files of a public report, and where they are not in the public form.

Nothing is read but `report/`: its tables, and the page that these must make.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from gettext import gettext as _
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pandas as pd

from microleak.base.errors import MicroleakError, TableError, VerificationError
from microleak.base.files import sha256_of
from microleak.base.language import LANGUAGES
from microleak.definitions.laplace import range_of, written
from microleak.definitions.vectors import MOST_EPSILON, SENSITIVITY, Statistic
from microleak.report.contents import Tables, is_synthetic
from microleak.report.page import metadata_text
from microleak.report.public import COUNTS, faults_of, public_page, vectors_of
from microleak.report.texts import voice
from microleak.study.listing import TIMESTAMP
from microleak.study.tables import result_tables
from microleak.tables.files import print_csv, read_table
from microleak.tables.rows import as_table

PAGE: Final = "index.html"
METADATA: Final = "data/metadata.json"
RELEASES: Final = "data/releases.csv"
LOSSES: Final = "data/privacy_losses.csv"

MOST_BYTES: Final = 1 << 22
MOST_LINE: Final = 1 << 14
MOST_FILES: Final = 500
MOST_ROWS: Final = 5000
MOST_LOSSES: Final = 1000
"""What a report of some hundred analyses has not: bytes of all files together, bytes
of a line of a table, files (links and empty folders among them), rows of all tables
together, and publications. So nothing that is checked takes long."""

_DECIMAL: Final = "[0-9]{1,2}[.][0-9]{1,12}"
_EPSILON: Final = re.compile(f"[1-9][0-9]{{0,23}}(/[1-9][0-9]{{0,23}})?|{_DECIMAL}")
_OF_PUBLICATION: Final = re.compile(
    f"[1-9][0-9]{{0,8}}(/[1-9][0-9]{{0,6}})?|{_DECIMAL}"
)
"""Of as many digits as any that follows from a study file's, and no power of ten, which
may be too long to be added up."""

_NOT_READ: Final = (OSError, ValueError, KeyError, TypeError, RecursionError)
_NOT_MADE: Final = (*_NOT_READ, MicroleakError, IndexError)
"""What stops a page that cannot be made: of a language without texts, or of none."""


def public_tables(study_dir: Path) -> dict[str, str]:
    """Return the SHA-256 of each table of a public report, by path."""
    if not is_public(study_dir):
        return {}
    files = sorted((study_dir / "report").rglob("*.csv"))
    return {path.relative_to(study_dir).as_posix(): sha256_of(path) for path in files}


def is_public(study_dir: Path) -> bool:
    """Whether results have a report for the public."""
    try:
        metadata = _metadata_of(study_dir / "report")
    except _NOT_READ:
        return False
    return bool(metadata["audience"] == "public")


def _metadata_of(folder: Path) -> dict[str, Any]:
    path = folder / METADATA
    if not _is_file(path) or path.lstat().st_size > MOST_BYTES:
        raise ValueError("a link, a device or a very long file")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return {"audience": found["audience"], **found}


def _is_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file()


class PublicReport:
    """The files of a public report, and where they are not in the public form."""

    def __init__(self, folder: Path) -> None:
        inner = folder / "report"
        self.folder = inner if inner.is_dir() else folder
        self.faults: list[str] = []
        self.losses: dict[str, Fraction] = {}
        try:
            self._metadata = _metadata_of(self.folder)
        except _NOT_READ:
            said = _(
                "{folder} is no report: {file} is missing or damaged. Name the folder "
                "of a study's results or of its report."
            )
            raise VerificationError(said, folder=self.folder, file=METADATA) from None
        if self._metadata["audience"] != "public":
            said = _(
                "{folder} is an internal report, whose numbers are exact. Set "
                "audience: public and noise under report, and run again."
            )
            raise VerificationError(said, folder=self.folder)
        self.tables = Tables({}, {})
        try:
            self._check_size()
            self.tables = Tables(*self._read())
            if not self.faults:  # the page is made of tables that are as they must be
                self._check_page()
        except (OSError, ValueError, RecursionError) as error:
            kind = type(error).__name__
            said = _("a file or a name cannot be read ({kind})").format(kind=kind)
            self.faults.append(said)

    def _note(self, said: str, **values: object) -> None:
        self.faults.append(said.format(**values))

    def _check_size(self) -> None:
        """Refuse more files, or longer ones, than a report has, before any is read."""
        n_bytes = n_rows = 0
        for n, path in enumerate(self.folder.rglob("*")):
            n_bytes += path.lstat().st_size
            is_large = n >= MOST_FILES or n_bytes > MOST_BYTES
            if not is_large and path.suffix == ".csv" and _is_file(path):
                lines = path.read_bytes().split(b"\n")
                n_rows += len(lines)
                is_large = n_rows > MOST_ROWS or max(map(len, lines)) > MOST_LINE
            if is_large:
                said = _(
                    "{folder} is no public report: it has more files, rows or bytes "
                    "than any. Name the folder of one report."
                ).format(folder=self.folder)
                raise VerificationError(said)

    def is_same(self, other: "PublicReport") -> bool:
        """Whether another report has the same bytes, and neither has faults."""
        if self.faults or other.faults or (paths := self._files()) != other._files():
            return False
        folders = self.folder, other.folder
        return all(
            len({(f / path).read_bytes() for f in folders}) == 1 for path in paths
        )

    def _read(self) -> tuple[dict[str, dict[str, pd.DataFrame]], dict[str, Any]]:
        """Return the tables of analyses, in the order of the page, and of the study."""
        named = self._metadata.get("tables")
        every = named if isinstance(named, list) else []
        names = [each for each in every if isinstance(each, str)]
        listed, found = {PAGE, METADATA, *names}, self._files()
        for path in sorted(found ^ listed):
            said = _("{path} is not there")
            if path not in listed:
                said = _("{path} is no file of a public report")
            self._note(said, path=_printable(path))
        others = {path for path in found if not _is_file(self.folder / path)}
        for path in sorted(others & listed):
            said = _("{path} is a link or a folder, and must be a file")
            self._note(said, path=_printable(path))
        frames = {
            path: frame
            for path in sorted(found & listed - others - {PAGE, METADATA})
            if (frame := self._table(path)) is not None
        }
        releases = frames.pop(RELEASES, as_table(result_tables()["releases"], []))
        losses = frames.pop(LOSSES, None)
        named = [*zip(releases["table"], releases["release"], strict=True)]
        if named != sorted({*named}):
            self._note(_("{path} is not sorted, or has a release twice"), path=RELEASES)
        self._check_metadata(names, releases)
        analyses = self._in_order(frames)
        for path in frames:
            self._note(_("{path} is of no analysis that the page has"), path=path)
        if losses is None:
            self._note(_("{path} is missing or damaged"), path=LOSSES)
            losses = as_table(result_tables()["privacy_losses"], [])
        self._check_noise(analyses, losses)
        if not self.losses:
            losses = losses.head(0)  # the page would add up what is no epsilon
        return analyses, {"releases": releases, "privacy_losses": losses}

    def _check_noise(
        self,
        analyses: dict[str, dict[str, pd.DataFrame]],
        losses: pd.DataFrame,
    ) -> None:
        """Note what is not covered by the epsilon that a report tells."""
        try:
            every = zip(losses["publication"], losses["epsilon"], strict=True)
            if len(losses) > MOST_LOSSES:
                raise ValueError("more publications than anybody names")
            self.losses = {n: _read_epsilon(e, _OF_PUBLICATION) for n, e in every}
            spent: Counter[tuple[Statistic, Fraction]] = Counter()
            for name, table in analyses[COUNTS].items():
                file = f"data/{name}-{COUNTS}.csv"
                epsilons = table["epsilon"].unique()
                if len(epsilons) > len(SENSITIVITY):
                    raise ValueError("one for each kind of count is enough")
                ranges = {e: range_of(_read_epsilon(e)) for e in epsilons}
                if 0 in ranges.values():
                    self._note(_("{path} has counts without noise"), path=file)
                pairs = zip(
                    table["epsilon"].map(ranges), table["range_95"], strict=True
                )
                for line, (wanted, range_95) in enumerate(pairs, 2):
                    if wanted != range_95:
                        said = _("{path}, line {n}: the range is not that of epsilon")
                        self._note(said, path=file, n=line)
                for (*_key, statistic), rows in vectors_of(table):
                    spent[statistic, _read_epsilon(rows["epsilon"].iloc[0])] += 1
        except ValueError:
            said = _("an epsilon is no number above 0 and up to {most}")
            self._note(said, most=MOST_EPSILON)
            return
        named = [*self.losses]
        if len(named) != len(losses) or named[-1:] != [self._metadata.get("study")]:
            said = _("{path} does not end with the study, or repeats a publication")
            self._note(said, path=LOSSES)
        elif len(spent) != len({statistic for statistic, _ in spent}):
            self.faults.append(_("counts of one kind have different parts of epsilon"))
        elif (total := _total_epsilon(spent)) != self.losses[named[-1]]:
            said = _("the epsilons of all counts add up to {total}, not to the page's")
            self._note(said, total=written(total))
        if not _is_one_form([losses, *analyses[COUNTS].values()]):
            self.faults.append(_("epsilons are written in two ways"))

    def _files(self) -> set[str]:
        """Return paths of all files, links and empty folders."""
        stamp = self.folder / TIMESTAMP
        return {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if (path.is_symlink() or not path.is_dir() or not any(path.iterdir()))
            and not (path == stamp and path.lstat().st_size == 0)
        }

    def _check_metadata(self, names: list[str], releases: pd.DataFrame) -> None:
        """Note metadata and releases that have more than what a report has.

        A table that is named twice is, too: how often may be a count.
        """
        study, is_made_up = self._metadata.get("study"), is_synthetic(releases)
        made = metadata_text(str(study), "public", {*names}, is_made_up)
        if made.encode() != (self.folder / METADATA).read_bytes():
            said = _("{path} is not what microleak writes of its tables")
            self._note(said, path=METADATA)
        if releases["n_records"].notna().any():
            self._note(_("{path} has numbers beside counts with noise"), path=RELEASES)

    def _table(self, path: str) -> pd.DataFrame | None:
        """Return a table, or nothing if it is none of a public report's."""
        kind = Path(path).stem.rpartition("-")[2]
        spec = result_tables().get(kind)
        if spec is None or spec.audience != "public":
            self._note(_("{path} is no table of a public report"), path=path)
            return None
        file = self.folder / path
        try:
            table = read_table(file, spec)
        except TableError as error:
            self.faults.append(str(error))
            return None
        again = io.StringIO()
        print_csv(table, again)
        if again.getvalue().encode() != file.read_bytes():
            # Digits that a number does not need, as those of 76.0, may be a message.
            self._note(_("{path} is not written as microleak writes it"), path=path)
        return table

    def _in_order(
        self, frames: dict[str, pd.DataFrame]
    ) -> dict[str, dict[str, pd.DataFrame]]:
        """Take the counts in the order in which the page has their analyses."""
        page = self._page
        languages = _languages_of_page(page)
        if not 0 < len({*languages}) == len(languages) <= len(LANGUAGES):
            self._note(_("{path} has no edition, or too many"), path=PAGE)
        language = next(iter(languages), "")
        found: dict[str, pd.DataFrame] = {}
        names = re.findall(rf'id="{language}-counts:([^"]*)"', page)
        for name in dict.fromkeys(names[:MOST_FILES]):
            path = f"data/{name}-{COUNTS}.csv"
            table = frames.pop(path, None)
            if table is not None:
                if (table["analysis"] != name).any():
                    self._note(_("{path} has another name of its analysis"), path=path)
                self.faults += [f"{path}: {said}" for said in faults_of(table)]
                found[name] = table
        return {COUNTS: found}

    @property
    def _page(self) -> str:
        path = self.folder / PAGE
        return path.read_bytes().decode(errors="replace") if _is_file(path) else ""

    def _check_page(self) -> None:
        """Note a page that has anything but what its tables make."""
        from jinja2 import UndefinedError  # noqa: PLC0415

        page, releases = self._page, self.tables.whole("releases")
        languages = _languages_of_page(page)
        try:
            lines = [
                table
                for table in dict.fromkeys(releases["table"])
                for language in languages[:1]
                if voice(language).say("public.line_warning", table=table) in page
            ]
            made = public_page(
                self._metadata["study"],
                self.tables,
                lines,
                [voice(each, _sources_of_page(page)) for each in languages],
            )
        except (*_NOT_MADE, UndefinedError):
            made = ""  # the tables are not in the form, which is told by itself
        if made != page or not page:
            said = _("{path} is not what this microleak makes of its tables")
            self._note(said, path=PAGE)


def _total_epsilon(spent: Mapping[tuple[Statistic, Fraction], int]) -> Fraction:
    """Return what vectors cost together, given how many there are of each kind."""
    each = (n * SENSITIVITY[kind] * epsilon for (kind, epsilon), n in spent.items())
    return sum(each, Fraction())


def _read_epsilon(text: object, form: re.Pattern[str] = _EPSILON) -> Fraction:
    """Read an epsilon as microleak writes it, a decimal or a reduced fraction."""
    found = str(text)
    epsilon = Fraction(found if form.fullmatch(found) else 0)
    if not epsilon or found not in {written(epsilon), str(epsilon)}:
        raise ValueError("neither a decimal nor a reduced fraction above 0")
    if epsilon > MOST_EPSILON:
        raise ValueError("above any that a page may have")
    return epsilon


def _is_one_form(frames: Iterable[pd.DataFrame]) -> bool:
    """Say whether all epsilons are decimals where they can be, or else fractions.

    A choice for each could be a message.
    """
    texts = {*chain(*(frame["epsilon"] for frame in frames))}
    forms = ({form(Fraction(text)) for text in texts} for form in (written, str))
    return texts in forms


def _printable(path: str) -> str:
    return path if path.isprintable() else ascii(path)


def _sources_of_page(page: str) -> list[str] | None:
    found = re.search(r'<meta name="sources" content="([\w ]*)">', page)
    return found[1].split() if found else None


def _languages_of_page(page: str) -> list[str]:
    """Return the languages of a page, at most one more than there are."""
    found = re.findall(r'class="edition edition-(\w+)"', page)
    return found[: len(LANGUAGES) + 1]
