"""The answer in short: of each analysis the findings, with links to more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from microleak.report.chapters import Chapter, Section
from microleak.report.parts import Part
from microleak.report.states import StatesChapter, Told, told_of
from microleak.report.texts import Voice
from microleak.report.wholes import Whole


@dataclass(frozen=True)
class Line:
    """A sentence, and a link; either may be empty."""

    text: str
    href: str = ""
    link: str = ""


@dataclass(frozen=True)
class Block:
    """What is said together, below a heading that may be empty."""

    heading: str
    lines: tuple[Line, ...]


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
    voice: Voice,
) -> Answer:
    """Tell what each analysis found; what a chapter of states tells is told once.

    Parameters
    ----------
    states, wholes, chapters, parts
        Those of one page.
    voice
        The language and audience.
    """
    told = told_of(states)
    blocks = [
        *((part.analysis, _of_states(part, voice)) for part in states),
        *((part.name, _of_whole(part, voice)) for part in wholes),
        *((chapter.analysis, _of_chapter(chapter, told)) for chapter in chapters),
        *((part.analysis, _of_part(part)) for part in parts),
    ]
    by_name: dict[str, list[Block]] = {}
    for name, block in blocks:
        if block.lines:
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
    shown = part.shown
    lines = [
        Line(f"{shown.release}: {heading}.", shown.href, kicker)
        for kicker, heading in shown.findings
    ]
    lines.append(Line("", f"#{part.anchor}", voice.say("page.whole_link")))
    return Block("", tuple(lines))


def _of_chapter(part: Chapter, told: Told) -> Block:
    lines = [Line(_text(s), f"#{s.anchor}", s.kicker) for s in part.sections]
    lines += [Line(f"{g.heading}.", f"#{g.anchor}", g.kicker) for g in part.groups]
    left = (line for line in lines if (part.analysis, line.link) not in told)
    return Block("", tuple(left))


def _of_part(part: Part) -> Block:
    return Block("", (Line(f"{part.heading}.", f"#{part.anchor}", part.kicker),))


def _text(section: Section) -> str:
    """Say what was found, what a guess finds, and what linked releases add."""
    return " ".join(_sentences(section))


def _sentences(section: Section) -> Iterator[str]:
    yield f"{section.finding.heading}."
    if section.finding.beside:
        yield section.finding.beside
    if section.years and not section.is_inference:
        yield from section.years.sentences[:1]
