"""What the impact report says, in the order of the federal government's form.

Sections and columns are those of the template for the RIPD of the federal government
(Secretaria de Governo Digital, 2020).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from microleak import __version__
from microleak.base.files import sha256_of
from microleak.base.paths import MANIFEST
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.report.risks import NumberCell, Risk
from microleak.report.texts import Voice
from microleak.ripd.measured import MeasuredRisk, MeasuredStudy, ResultPlace
from microleak.study_file.ripd import RipdSection


@dataclass(frozen=True)
class Phrase:
    """Words; those of a gap are to be replaced by somebody who knows."""

    words: str
    is_gap: bool = False


@dataclass(frozen=True)
class Heading:
    """The heading of a section, of level 2 or 3; the title alone is of level 1."""

    level: int
    words: str
    kind: str = "heading"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a warning stands out."""

    text: Phrase
    is_warning: bool = False
    kind: str = "paragraph"


@dataclass(frozen=True)
class DocumentTable:
    """A table, whose first column names the rows."""

    # Above it, and above its columns
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Phrase, ...], ...]  # A text by column
    widths: tuple[int, ...]  # How wide the columns are, in percent of the page
    kind: str = "table"


Block = Heading | Paragraph | DocumentTable


@dataclass(frozen=True)
class Document:
    """A whole document."""

    title: str  # Its heading
    locale: str  # Tag of its language, as `pt-BR`
    blocks: Sequence[Block]  # What it has, in order


_INGEST = "measures/ingest.csv"
_PROTECTIONS = "measures/protections.csv"


@dataclass(frozen=True)
class _Writer:
    """What sections are written with."""

    study: MeasuredStudy
    section: RipdSection
    voice: Voice
    places: dict[ResultPlace, int] = field(default_factory=dict)

    def say(self, name: str, **values: str) -> str:
        return self.voice.say(f"ripd.{name}", **values)

    def heading(self, name: str, level: int = 2) -> Heading:
        return Heading(level, self.say(name))

    def told(self, name: str, **values: str) -> Paragraph:
        return Paragraph(Phrase(self.say(name, **values)))

    def gap(self, key: str = "") -> Phrase:
        """Return the mark of what is to be filled in, with the study file's key."""
        said = self.say("gap_key", setting=key) if key else self.say("gap")
        return Phrase(said, is_gap=True)

    def given(self, text: str | None, key: str) -> Phrase:
        """Return what the study file says, or the mark of what it does not."""
        return Phrase(text) if text else self.gap(key)

    def free(self, key: str) -> Iterator[Paragraph]:
        """Yield the paragraphs of a text of the study file, or the mark of none."""
        lines = (getattr(self.section, key) or "").split("\n")
        for line in filter(str.strip, lines):
            yield Paragraph(Phrase(line))
        if not any(map(str.strip, lines)):
            yield Paragraph(self.gap(f"ripd.{key}"))

    def table(
        self,
        name: str,
        columns: Sequence[str],
        widths: Sequence[int],
        rows: Iterator[tuple[Phrase, ...]],
    ) -> DocumentTable:
        headings = self.voice.columns("ripd", *columns)
        return DocumentTable(
            self.say(f"caption_{name}"), headings, (*rows,), (*widths,)
        )

    def cite(self, place: ResultPlace) -> str:
        return f"[{self.places.setdefault(place, len(self.places) + 1)}]"

    def count(self, path: str, row: int, column: str) -> Phrase:
        """Write a count with the reference to its place."""
        place = ResultPlace(path, NumberCell("", row, column))
        number = self.voice.numbers.count(int(self.study.value(place)))
        return Phrase(f"{number} {self.cite(place)}")

    def chance(self, place: ResultPlace) -> Phrase:
        """Write the chance that stands at a place, and its reference."""
        share = self.voice.numbers.share(self.study.value(place))
        return Phrase(f"{share} {self.cite(place)}")

    def words(self, found: MeasuredRisk) -> Phrase:
        """Return what may happen, with references to its numbers, and where it may."""
        said = [found.risk.words]
        said += (self.cite(found.place(cell)) for cell in found.risk.cells)
        if found.protected:
            names = vars(found.protected)
            said.append(self.say("left", **names))
        return Phrase(" ".join(said))

    def levels(
        self, found: MeasuredRisk, cell: NumberCell | None
    ) -> tuple[Phrase, ...]:
        """Return probability, impact and level of a chance, as far as they are set."""
        bands, impact = self.section.probability, self._impact(found.risk)
        likely = bands and cell and bands.level(self.study.value(found.place(cell)))
        level = likely * impact if likely and impact else None
        return tuple(
            self.gap() if number is None else Phrase(str(number))
            for number in (likely, impact, level)
        )

    def _impact(self, risk: Risk) -> int | None:
        if risk.kind == "inference":
            return self.section.impact.get(risk.sensitive)
        if risk.kind == "presence":
            return self.section.impact_of_presence
        return self.section.impact_of_reidentification


def impact_report(study: MeasuredStudy, voice: Voice) -> Document:
    write = _Writer(study, study.section, voice)
    risks, further = study.risks(voice)
    names = [*["synthetic"] * bool(study.manifest["synthetic"]), "internal"]
    warnings = [Paragraph(Phrase(write.say(name)), is_warning=True) for name in names]
    blocks: list[Block] = [
        *warnings,
        write.told("made", version=__version__, study=study.manifest["study"]),
        write.told("reference"),
        *_agents_section(write),
        write.heading("need"),
        *write.free("need"),
        *_treatment_section(write, (*risks, *further)),
        write.heading("consulted"),
        *write.free("consulted"),
        write.heading("necessity"),
        *write.free("necessity"),
        *_risks_section(write, risks),
        *_measures_section(write, risks, (*risks, *further)),
        *_approval_section(write),
        *_further_section(write, further),
        *_sources_section(write),
    ]
    title = write.say("title", study=study.manifest["study"])
    if study.manifest["synthetic"]:
        title = f"{SYNTHETIC_MARK} – {title}"
    return Document(title, voice.locale, blocks)


def _agents_section(write: _Writer) -> Iterator[Block]:
    agents = write.section.agents
    rows = (
        (
            Phrase(write.say(name)),
            write.given(getattr(agents, name), f"ripd.agents.{name}"),
        )
        for name in type(agents).model_fields
    )
    yield write.heading("agents")
    yield write.table("agents", ("role", "named"), (35, 65), rows)


def _treatment_section(
    write: _Writer, risks: Sequence[MeasuredRisk]
) -> Iterator[Block]:
    yield write.heading("treatment")
    for name in ("nature", "scope", "context", "purpose"):
        yield write.heading(name, level=3)
        yield from write.free(name)
        if name == "scope":
            yield from _measured_scope(write, risks)


def _measured_scope(write: _Writer, risks: Sequence[MeasuredRisk]) -> Iterator[Block]:
    """Yield which releases were read, and which sensitive attributes measured."""
    releases = write.study.read(_INGEST)
    if releases.empty:
        yield write.told("no_releases")
    else:
        columns = ("table", "release", "read", "records", "synthetic")
        widths = (25, 25, 20, 20, 10)
        yield write.table("releases", columns, widths, _release_rows(write))
    if _PROTECTIONS in write.study.listed:
        yield write.table(
            "protected",
            ("table", "protected", "origin", "records"),
            (25, 30, 25, 20),
            _protected_rows(write),
        )
    named = dict.fromkeys(each.risk.sensitive for each in risks if each.risk.sensitive)
    if named:
        names = write.voice.listing(map(write.voice.explained, named))
        yield write.told("sensitive", names=names)


def _release_rows(write: _Writer) -> Iterator[tuple[Phrase, ...]]:
    for i, row in enumerate(write.study.read(_INGEST).to_dict("records"), 1):
        yield (
            Phrase(row["table"]),
            Phrase(row["release"]),
            write.count(_INGEST, i, "n_read"),
            write.count(_INGEST, i, "n_records"),
            Phrase(write.say("yes" if row["synthetic"] == "true" else "no")),
        )


def _protected_rows(write: _Writer) -> Iterator[tuple[Phrase, ...]]:
    rows = write.study.read(_PROTECTIONS)
    first = rows.drop_duplicates(["table", "release"])
    for i, row in first.iterrows():
        names = (Phrase(row[name]) for name in ("table", "release", "origin"))
        yield *names, write.count(_PROTECTIONS, int(i) + 1, "n_after")


def _risks_section(write: _Writer, risks: Sequence[MeasuredRisk]) -> Iterator[Block]:
    yield write.heading("risks")
    names = write.study.untold(write.voice)
    told = [write.told("untold", names="; ".join(names))] if names else []
    further: list[Block] = [*told, Paragraph(write.gap())]
    if not risks:
        yield write.told("no_risks")
        yield from further
        return
    yield write.told("risks_told")
    yield _probability_bands(write)
    yield write.told("impacts")
    rows = (
        (
            Phrase(_risk_id(i)),
            write.words(each),
            *_chances(write, each),
            *write.levels(each, each.risk.chance),
        )
        for i, each in enumerate(risks, 1)
    )
    columns = ("id", "risk", "chance", "guess", "baseline", "p", "i", "level")
    yield write.table("risks", columns, (6, 31, 11, 11, 11, 10, 10, 10), rows)
    yield write.heading("further_risks", level=3)
    yield from further


def _chances(write: _Writer, each: MeasuredRisk) -> Iterator[Phrase]:
    """Yield how likely a risk is, a best guess, and one without the data."""
    for cell in (each.risk.chance, each.risk.guess, each.risk.baseline):
        yield write.chance(each.place(cell)) if cell else Phrase("–")


def _risk_id(i: int) -> str:
    return f"R{i:02}"


def _probability_bands(write: _Writer) -> Paragraph:
    bands = write.section.probability
    if bands is None:
        return write.told("no_bands")
    shares = (float(Fraction(each)) for each in (bands.low, bands.high))
    low, high = map(write.voice.numbers.share, shares)
    return write.told("bands", low=low, high=high)


def _measures_section(
    write: _Writer, risks: Sequence[MeasuredRisk], every: Sequence[MeasuredRisk]
) -> Iterator[Block]:
    yield write.heading("measures")
    yield write.told("measures_told")
    if not risks:
        yield Paragraph(write.gap())
        return
    rows = (
        (Phrase(_risk_id(i)), *measure, write.gap())
        for i, risk in enumerate(risks, 1)
        for measure in [
            *(_measure_row(write, risk, e) for e in every if risk.is_treated_by(e))
        ]
        or [(write.gap(), write.gap(), write.gap(), *write.levels(risk, None))]
    )
    columns = ("id", "measure", "effect", "residual", "p", "i", "level", "approved")
    yield write.table("measures", columns, (6, 22, 12, 12, 12, 12, 12, 12), rows)


def _measure_row(
    write: _Writer, risk: MeasuredRisk, left: MeasuredRisk
) -> tuple[Phrase, ...]:
    """Return measure, effect, residual chance, probability, impact and level."""
    # What lowers the chance of any value is compared with that before, which it has.
    residual, before = left.risk.residual, left.place(left.risk.chance)
    words, cell = left.risk.measure, residual or left.risk.chance
    if left.protected:
        words = write.say("measure_left", release=left.protected.release)
        before = risk.place(risk.risk.chance)
    elif left.risk.sensitive:
        words += f" {write.say('of_all', before=write.chance(before).words)}"
    if {*left.risk.qids} != {*risk.risk.qids}:
        known = write.voice.known(left.risk.qids)
        words += f" {write.say('measured_for', known=known)}"
    is_less = write.study.value(left.place(cell)) < write.study.value(before)
    return (
        Phrase(words),
        Phrase(write.say("reduce" if is_less else "keep")),
        write.chance(left.place(cell)),
        *write.levels(left, cell),
    )


def _approval_section(write: _Writer) -> Iterator[Block]:
    agents = write.section.agents
    names = {
        "author": write.gap(),
        "officer": write.given(agents.officer, "ripd.agents.officer"),
        "for_controller": write.gap(),
        "for_operator": write.gap(),
    }
    rows = (
        (Phrase(write.say(role)), name, write.gap()) for role, name in names.items()
    )
    columns = ("role", "named", "signature")
    yield write.heading("approval")
    yield write.table("approval", columns, (40, 30, 30), rows)


def _further_section(
    write: _Writer, further: Sequence[MeasuredRisk]
) -> Iterator[Block]:
    """Yield what else was measured: other releases and analyses, and best guesses."""
    if not further:
        return
    yield write.heading("further")
    yield write.told("further_told")
    rows = ((write.words(each), *_chances(write, each)) for each in further)
    columns = ("risk", "chance", "guess", "baseline")
    yield write.table("further", columns, (55, 15, 15, 15), rows)


def _sources_section(write: _Writer) -> Iterator[Block]:
    """Yield where the cited numbers stand, and the hashes of these files."""
    study = write.study
    yield write.heading("sources")
    yield write.told("sources_told")
    numbers = (
        (
            Phrase(str(number)),
            Phrase(place.path),
            Phrase(str(place.cell.row)),
            Phrase(" / ".join(filter(None, (place.cell.column, place.cell.of)))),
            Phrase(study.text(place)),
        )
        for place, number in write.places.items()
    )
    columns = ("number", "file", "row", "column", "value")
    yield write.table("sources", columns, (6, 40, 8, 22, 24), numbers)
    yield write.heading("files")
    yield write.told("files_told")
    config = study.manifest["config"]
    hashes = {MANIFEST: sha256_of(study.folder / MANIFEST)}
    hashes |= {config["name"]: config["sha256"]}
    hashes |= {place.path: study.listed[place.path] for place in write.places}
    files = ((Phrase(path), Phrase(sha256)) for path, sha256 in hashes.items())
    yield write.table("files", ("file", "sha256"), (40, 60), files)
