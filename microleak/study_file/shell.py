"""The parts of a study file that are no family's: tables, releases, QID sets, page."""

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, StrictInt, model_validator

from microleak.sources.definitions.definition import source_names
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.noise import NoiseSection
from microleak.study_file.protections import (
    PoolSection,
    ProtectionSection,
    TabulationSection,
)
from microleak.study_file.ripd import RipdSection
from microleak.study_file.section import (
    Attributes,
    Different,
    Key,
    Label,
    Name,
    NotEmpty,
    Positive,
    Section,
    Seed,
    Text,
    refuse,
)
from microleak.study_file.units import UnitsSection

if TYPE_CHECKING:
    Source = str
else:  # Each source is data: whatever config/sources has
    Source = Literal[tuple(source_names())]
AtLeast27 = Annotated[StrictInt, Field(ge=27)]  # One unit a state


class TwinSize(Section):
    """How large a twin of a release is, in what its source counts."""

    schools: AtLeast27 | None = None
    """Of the School Census - number of schools, of about 262 students each; at least
    27, one a state (2018 had 183,706). Of `ibge_pense` - number of schools of the
    School Census that the sample is drawn from; only with the same number and year are
    both about the same persons."""

    records: Annotated[StrictInt, Field(ge=1200)] | None = None
    """Of the outpatient data - number of valid records of the state's year, from 1,200;
    below about 200,000 few units decide."""

    courses: AtLeast27 | None = None
    """Of the Higher Education Census - number of courses, of about 284 students each
    (2018 had 38,127)."""

    persons: Annotated[StrictInt, Field(ge=100)] | None = None
    """Of the Census sample, Enem and lecturers - number of persons, about."""

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        self.check_one("schools", "records", "courses", "persons")
        return self


class ReleaseSection(Section):
    """Where a release comes from."""

    archive: NotEmpty | None = None
    """Path of the released file, a zip, a CSV or a folder of unpacked files, from where
    the study is run."""

    url: Annotated[str, Field(pattern="^(https?|ftp)://")] | None = None
    """Address of the released file (http or https), or of the directory that has the
    files of its months (ftp)."""

    sha256: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")] | None = None
    """SHA-256 of the file; checked before anything is read."""

    n_rows: Positive | None = None
    """Rows that the release must have. No reader can see that a file was cut at the end
    of a row."""

    synthetic: TwinSize | None = None
    """Makes the release with the source's synthetic twin, in its own raw format."""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        self.check_one("archive", "url", "synthetic")
        return self


class Options(Section):
    """How a file with a header is written."""

    delimiter: NotEmpty = ","
    """Character between the columns; `tab` is the tabulator."""

    encoding: Literal["utf-8", "latin-1", "cp1252"] = "utf-8"
    """Encoding of the text, `utf-8`, `latin-1` or `cp1252`."""

    sheet: str | None = None
    """Sheet to read of a workbook (xlsx, xls, ods) that has several with tables;
    without it the one that is named like the release."""

    person_id: str | None = None
    """Column that identifies the person. Without it each row counts as a person of its
    own."""

    record_id: str | None = None
    """Column that identifies the record, if there is one; it makes the choice among a
    person's records independent of other columns."""

    missing: tuple[str, ...] = ("",)
    """Texts that stand for a missing value."""

    domains: dict[str, str] | None = None
    """Regular expressions that whole values of a column must match, by column."""


class TableSection(Section):
    """One table of the microdata."""

    source: Source
    """Who released the table, which says how its files are read: a file of
    config/sources (docs/sources.md), or `delimited`, which is any file with a table,
    such as CSV, xlsx, Parquet or SPSS (docs/own-file.md)."""

    options: Options | None = None
    """How `delimited` files are written, all releases of the table alike."""

    max_refused: Annotated[StrictInt, Field(ge=0)] = 0
    """Rows with values outside their domain that may be set aside, and counted, before
    the release is refused."""

    releases: Annotated[dict[Key, ReleaseSection], Field(min_length=1)]
    """The releases by name, for example the year; each gives exactly one of `archive`,
    `url` and `synthetic`."""


class LabelSection(Section):
    """What an attribute and its values are called in the report."""

    label: NotEmpty | Label | None = None
    """The attribute, as a sentence names it, as `main diagnosis`; by language, or one
    text for all."""

    values: dict[Text, NotEmpty | Label] = Field({})
    """Its values by what stands in the file, as `{B24: HIV}`; a text, or one by
    language, each."""


class Report(Section):
    """How the report page is written."""

    languages: Annotated[
        tuple[Literal["pt", "en"], ...], Field(min_length=1), Different()
    ] = ("pt", "en")
    """Languages of the page. It opens in the one that the browser asks for or else,
    and a public page always, in the first, in whose form exports for spreadsheets write
    numbers."""

    audience: Literal["internal", "public"] = "internal"
    """`internal` shows exact counts; `public` makes one page of few counts with noise
    in place of all tables and figures (docs/public.md)."""

    labels: dict[str, LabelSection] = Field(default={})
    """What attributes and their values are called, by attribute, where they are named;
    data and result tables keep what stands in the file. A public page has none."""

    noise: NoiseSection | None = None
    """Of a public page, and only of one, its noise: what the page tells of one person
    then has a bound, whatever else is known or published (docs/public.md)."""

    @model_validator(mode="after")
    def _for_the_public(self) -> Self:
        if self.labels and self.audience == "public":
            refuse("has labels and audience: public. Take the labels away.")
        if self.noise and self.audience != "public":
            refuse("has noise and not audience: public. Write the audience, too.")
        if self.audience == "public" and not self.noise:
            refuse(
                "has audience: public and no noise, without which nothing is published."
                " Make a key (microleak key people.key), and add "
                'noise: {epsilon: "1/2", key: people.key} (docs/public.md).'
            )
        return self


class Shell(Section):
    """All of a study file but what its families of attacks read."""

    study: Name
    """Name of the study; its results are written to `results/<study>/`. Names of
    studies, tables, releases and analyses have letters of English, digits, `.`, `_` and
    `-`, begin with a letter or digit, have at most 100 characters and do not end in
    `.part` or `.part.json`, as downloads under way do."""

    seed: Seed
    """Number from which every random choice follows, the record kept of a person with
    several and the synthetic twin among them."""

    tables: dict[Key, TableSection] = Field({})
    """The microdata, one entry a table; the name is yours. Reconstruction of random
    databases needs none."""

    qid_sets: dict[str, Attributes] = Field({})
    """Lists of quasi-identifiers by name, for use in analyses. Names of attributes are
    not empty, have neither control characters nor `|`, which joins them in the result
    tables, and do not begin as a formula of a spreadsheet does (`=`, `+`, `-`, `@`):
    rename such a column in the file."""

    hierarchies: Hierarchies = Field({})
    """Ever coarser levels of attributes' values, by attribute, for all tables: what
    protects a release, and what the smallest protection is chosen from."""

    protections: dict[Key, ProtectionSection] = Field({})
    """Protected releases by name (docs/protect.md). Each is made of a release of a
    table by steps, and is then a release of that table by its own name, which analyses
    of all kinds may attack. Its name is that of no release."""

    pooled: dict[Key, PoolSection] = Field({})
    """Releases as one table, by name, such as the files of all states as the nation.
    Each is a release of its table by its own name, which analyses of all kinds may
    attack. Its name is that of no release and no protection."""

    units: dict[Key, UnitsSection] = Field({})
    """Releases whose records have facts of their household, family or class, by name
    (docs/units.md). Each is a release of its table by its own name, which analyses may
    attack; it cannot be protected or pooled. Its name is that of no other release."""

    tabulations: tuple[TabulationSection, ...] = ()
    """Tables of counts of records, as they are published: how much each loses when it
    is made of a protected release (docs/protect.md)."""

    report: Report = Report()
    """The report page."""

    policy: NotEmpty | None = None
    """Path of a policy (docs/check.md), whose limits a run tries at its end; it then
    exits as `microleak check` does."""

    ripd: RipdSection = RipdSection()
    """What the impact report on the protection of personal data (RIPD) cannot measure
    (docs/ripd.md)."""
