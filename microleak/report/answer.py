"""The first screen: five questions, what parts reply to them, and a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from microleak.report.parts import (
    QUESTIONS,
    Bars,
    Drawing,
    Line,
    Link,
    Part,
    Reply,
    Said,
)
from microleak.report.texts import Voice

_MOST = {"learn": 6}
"""Replies to a question, where there may be more than one."""

_OF_ONE_ANALYSIS = ("learn", "sure")
_OF_OTHERS = ("help",)
"""Questions whose reply, if none is preferred, links to those of other analyses."""

_MOST_REPLIES = 5
_MOST_OPEN = 4
_NOT_MEASURED = ("change", "help")
"""Questions of which it is said that nothing was measured."""


@dataclass(frozen=True)
class Replied:
    """A question of the first screen, what is replied, and where the numbers stand."""

    question: str
    text: str
    sources: tuple[Link, ...] = ()
    heading: str = ""  # The question again, but for those after its first reply


@dataclass(frozen=True)
class Answer:
    """The first screen, ready for the template."""

    replies: tuple[Replied, ...]  # To questions, in their order
    picture: tuple[Drawing] | tuple[Bars, ...]
    analyses: tuple[tuple[str, tuple[Said, ...]], ...]
    names_analyses: bool
    warnings: tuple[str, ...]  # Of the parts that are told of, each once

    @property
    def is_short(self) -> bool:
        """Whether the further findings are few enough to stand open."""
        said = (block for _, several in self.analyses for block in several)
        return sum(len(block.lines) for block in said) <= _MOST_OPEN


def answer(parts: Sequence[Part], voice: Voice) -> Answer:
    """Reply to the questions of the first screen, and tell what else is found."""
    chosen = tuple(_chosen(parts))
    if chosen:
        replies = tuple(_replied(chosen, parts, voice))
        told = {each.href for each in chosen}
    else:  # what the first parts found
        found = [
            (said.heading, line)
            for part in parts
            for said in part.answer
            for line in _sentences(said)
        ][:_MOST_REPLIES]
        replies = tuple(
            Replied(heading, line.text, (Link(line.link, line.href),), heading)
            for heading, line in found
        )
        told = {line.href for _, line in found}
    telling = [part for part in parts if part.answer or {*part.replies} & {*chosen}]
    warnings = dict.fromkeys(each.warning for each in telling if each.warning)
    further = tuple(_further(parts, told))
    names = {name for name, _ in further}
    is_named = len(names) > 1 or any(p.release for p in parts if p.named in names)
    return Answer(replies, _picture(chosen), further, is_named, tuple(warnings))


def below(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the parts as they are below the first screen."""
    chosen = tuple(_chosen(parts))
    # A figure that is its picture is left out of its part, and the shares that it takes
    # the place of are drawn in theirs.
    figures = [each for each in _picture(chosen) if isinstance(each, Drawing)]
    for part in parts:
        pictures = (each.picture for each in part.replies if figures and each in chosen)
        shares = [each for each in pictures if isinstance(each, Bars)]
        yield part.with_others(shares, figures)


def _chosen(parts: Sequence[Part]) -> Iterator[Reply]:
    """Yield the replies that the first screen has, in the order of its questions."""
    every = [(part.analysis, reply) for part in parts for reply in part.replies]
    every.sort(key=lambda each: each[1].rank)
    # What is learnt is that of the analysis which says who is found.
    first = next((name for name, reply in every if reply.question == "find"), "")
    for question in QUESTIONS:
        asked = [
            reply
            for name, reply in every
            if reply.question == question
            and (question not in _OF_ONE_ANALYSIS or name == first or reply.rank < 0)
        ]
        yield from asked[: _MOST.get(question, 1)]


def _others(parts: Sequence[Part], reply: Reply, voice: Voice) -> tuple[Link, ...]:
    """Return links to what other analyses reply to one of these questions."""
    return tuple(
        Link(voice.say("answer.other", analysis=part.analysis), other.href)
        for part in parts
        for other in part.replies
        if reply.question in _OF_OTHERS
        and other.question == reply.question
        and other.rank == reply.rank == 0
        and other.href != reply.href
    )


def _replied(
    chosen: Sequence[Reply], parts: Sequence[Part], voice: Voice
) -> Iterator[Replied]:
    for question in QUESTIONS:
        asked = voice.say(f"answer.{question}")
        replies = [reply for reply in chosen if reply.question == question]
        if not replies and question in _NOT_MEASURED:
            yield Replied(asked, voice.say(f"answer.no_{question}"), heading=asked)
        for each in replies:
            links = (*each.sources, *_others(parts, each, voice))
            yield Replied(asked, each.text, links, asked * (each is replies[0]))


def _picture(chosen: Sequence[Reply]) -> tuple[Drawing] | tuple[Bars, ...]:
    """Return the first figure of the replies; without any, shares by their title."""
    by_title: dict[str, Bars] = {}
    for reply in chosen:
        if isinstance(reply.picture, Drawing):
            return (reply.picture,)
        if reply.picture is not None:
            title = reply.picture.title
            known = by_title.get(title, Bars(title, ()))
            by_title[title] = Bars(title, known.bars + reply.picture.bars)
    return tuple(by_title.values())


def _sentences(said: Said) -> Iterator[Line]:
    """Yield what is told with each link, the sentences before it in one text."""
    texts: list[str] = []
    for line in said.lines:
        texts.append(line.text)
        if line.href and any(texts):
            yield Line(" ".join(filter(None, texts)), line.href, line.link)
            texts = []


def _further(
    parts: Sequence[Part], told: set[str]
) -> Iterator[tuple[str, tuple[Said, ...]]]:
    """Yield, by analysis, what parts found of which the replies do not tell."""
    by_name: dict[str, list[Said]] = {}
    for part in parts:
        for said in part.answer:
            left = tuple(line for line in _sentences(said) if line.href not in told)
            if left:
                by_name.setdefault(part.named, []).append(replace(said, lines=left))
    yield from ((name, tuple(several)) for name, several in by_name.items())
