"""The answer in short: of each analysis the findings, with links to more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from microleak.attacks.collective.report.chapters import Chapter, Section
from microleak.attacks.collective.report.states import StatesChapter, Told, told_of
from microleak.attacks.collective.report.wholes import Whole
from microleak.report.parts import Part
from microleak.report.texts import Voice


@dataclass(frozen=True)
class Line:
    """A sentence, and a link; either may be empty."""

    text: str
    href: str = ""
    link: str = ""


@dataclass(frozen=True)
class Block:
    """What is said together, below a heading and a quotation that may be empty."""

    heading: str
    lines: tuple[Line, ...]
    quotation: str = ""


@dataclass(frozen=True)
class Answer:
    """The findings of all analyses, ready for the template.

    `analyses` has the blocks of each by its name, which stands above them unless
    there is one block only. `warnings` are about tables, each once.
    """

    analyses: tuple[tuple[str, tuple[Block, ...]], ...]
    warnings: tuple[str, ...]


def answer(
    states: Sequence[StatesChapter],
    wholes: Sequence[Whole],
    chapters: Sequence[Chapter],
    parts: Sequence[Part],
    summaries: Mapping[str, str],
    voice: Voice,
) -> Answer:
    """Tell what each analysis found; what a chapter of states tells is told once.

    Parameters
    ----------
    states, wholes, chapters, parts
        Those of one page.
    summaries
        What sums up sections of chapters, by their anchors.
    voice
        The language.
    """
    told = told_of(states)
    blocks = [
        *((part.analysis, _of_states(part, voice)) for part in states),
        *((part.name, _of_whole(part, voice)) for part in wholes),
        *(
            (chapter.analysis, block)
            for chapter in chapters
            for block in _of_chapter(chapter, told, summaries)
        ),
        *((part.analysis, _of_part(part)) for part in parts),
    ]
    by_name: dict[str, list[Block]] = {}
    for name, block in blocks:
        if block.lines or block.quotation:
            by_name.setdefault(name, []).append(block)
    warnings = [
        *(part.warning for part in states),
        *(part.warning for part in wholes),
        *(chapter.warning for chapter in chapters),
        *(part.warning for part in parts),
    ]
    return Answer(
        tuple((name, tuple(several)) for name, several in by_name.items()),
        tuple(dict.fromkeys(filter(None, warnings))),
    )


def _of_states(part: StatesChapter, voice: Voice) -> Block:
    *first, last = part.answer or ("",)
    linked = Line(last, f"#{part.anchor}", voice.say("states.link"))
    return Block(part.heading, (*map(Line, first), linked))


def _of_whole(part: Whole, voice: Voice) -> Block:
    lines = [Line(text, href, kicker) for text, href, kicker in part.shown]
    lines.append(Line("", f"#{part.anchor}", voice.say("page.whole_link")))
    return Block("", tuple(lines))


def _of_chapter(
    part: Chapter, told: Told, summaries: Mapping[str, str]
) -> Iterator[Block]:
    """Yield what named adversaries find, and then what is found at worst."""
    left = [s for s in part.sections if (part.analysis, s.kicker) not in told]
    named = [s for s in left if s.finding.scenarios]
    yield Block("", tuple(_line(s, s.finding.scenarios) for s in named))
    quoted = (summaries.get(s.anchor, "") for s in part.sections if not s.is_inference)
    lines = [_line(s, s.finding.worst, "".join(_more(s))) for s in left]
    lines += [
        Line(f"{g.heading}.", f"#{g.anchor}", g.kicker)
        for g in part.groups
        if (part.analysis, g.kicker) not in told
    ]
    yield Block("", tuple(lines), "".join(quoted))


def _of_part(part: Part) -> Block:
    return Block("", (Line(f"{part.heading}.", f"#{part.anchor}", part.kicker),))


def _line(section: Section, said: Sequence[str], more: str = "") -> Line:
    text = " ".join(f"{each}." for each in said)
    return Line(f"{text}{more}", f"#{section.anchor}", section.kicker)


def _more(section: Section) -> Iterator[str]:
    """Yield what a guess finds, and what linked releases add."""
    if section.finding.beside:
        yield f" {section.finding.beside}"
    if section.years and not section.is_inference:
        yield from (f" {each}" for each in section.years.sentences[:1])
