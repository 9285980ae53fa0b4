"""A document of headings, paragraphs and tables, as every format writes it."""

from collections.abc import Sequence
from dataclasses import dataclass


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
