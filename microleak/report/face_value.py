"""What is said of attacks on values that were drawn anew, as these may not be true."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from microleak.report.contents import DrawnIn
from microleak.report.parts import Part, Reply, Said
from microleak.report.texts import Voice

DRAW_ANEW = ("randomise", "swap")
"""Methods of a protection after which a published value may be false of its record."""


@dataclass(frozen=True)
class Drawn:
    """A release with values that were drawn anew."""

    release: str  # Its name
    attributes: Mapping[str, Sequence[str]]
    known: str  # Name of the first analysis of it by who knows how it was done

    def done(self, voice: Voice) -> str:
        """Write what was done to which attributes, as a part of a sentence."""
        return voice.listing(
            voice.say(
                f"face_value.{method}", names=voice.listing(map(voice.explained, names))
            )
            for method, names in self.attributes.items()
        )


def by_method(steps: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return attributes by what was done to them, of methods that draw values anew.

    >>> by_method([("swap", "age"), ("round", "age"), ("swap", "sex")])
    {'swap': ('age', 'sex')}
    """
    found: dict[str, list[str]] = {}
    for method, name in steps:
        if method in DRAW_ANEW and name not in found.setdefault(method, []):
            found[method].append(name)
    return {method: tuple(names) for method, names in found.items()}


def drawn_by(settings: Mapping[str, Any], release: str) -> Drawn:
    """Return what was drawn anew in a release, by the protections of a study file."""
    protections, name = settings.get("protections", {}), release
    steps: list[tuple[str, str]] = []
    while name in protections:
        of_step = [
            (method, attribute)
            for step in protections[name]["steps"]
            for method in DRAW_ANEW
            for attribute in step.get(method, ())
        ]
        steps = of_step + steps
        name = str(protections[name]["release"])
    return Drawn(release, by_method(steps), "")


def concerned(drawn: Iterable[Drawn], names: Collection[str]) -> tuple[Drawn, ...]:
    """Return the releases in which values of some attributes were drawn, with these."""
    found = (
        replace(
            each,
            attributes={
                method: left
                for method, every in each.attributes.items()
                if (left := tuple(name for name in every if name in names))
            },
        )
        for each in drawn
    )
    return tuple(each for each in found if each.attributes)


def remark(drawn: Iterable[Drawn], voice: Voice) -> str:
    """Return the remark that a finding may be false; empty if no values were drawn."""
    return " ".join(say("remark", each, voice) for each in drawn)


def doubted(part: Part, drawn: DrawnIn, voice: Voice) -> Part:
    """Return a part that says, with all that it tells, that findings may be false."""
    every = (Drawn(release, done, "") for release, done in drawn.items())
    if not (said := remark(every, voice)):
        return part

    def told(each: Said) -> Said:
        lines = (
            replace(line, text=f"{line.text} {said}".strip()) if line.href else line
            for line in each.lines
        )
        return replace(each, lines=tuple(lines))

    return replace(
        part,
        said=tuple(map(told, part.answer)),
        replies=remarked(part.replies, said),
        caution=replace(part.caution, text=f"{said} {part.caution.text}".strip()),
    )


def remarked(replies: Iterable[Reply], said: str) -> tuple[Reply, ...]:
    """Add a remark to replies, if any, to which those of others are preferred."""
    return tuple(
        replace(each, text=f"{each.text} {said}", rank=each.rank + 1) if said else each
        for each in replies
    )


def say(key: str, drawn: Drawn, voice: Voice) -> str:
    """Return a phrase of `face_value`, filled with a release."""
    return voice.say(f"face_value.{key}", release=drawn.release, done=drawn.done(voice))
