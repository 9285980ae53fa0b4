"""What is said of attacks on values that were drawn anew, as these may not be true."""

from collections.abc import Collection, Iterable, Iterator, Mapping

import pandas as pd

from microleak.report.contents import Tables
from microleak.report.face_value import Drawn, by_method, concerned, say
from microleak.report.parts import Line, Place
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_KNOWN = "known_protection"
"""The analyses that say what can be found out by who knows how it was done."""


def drawn_releases(
    groups: Mapping[str, Collection[str]], given: Tables
) -> dict[tuple[str, str], Drawn]:
    """Return what was drawn anew in releases that are attacked, by table and name.

    Only attributes count that some collective analysis of the release has.
    """
    if given.whole("protections").empty:
        return {}
    known = given.attacked.get(_KNOWN, {})
    attacked: dict[tuple[str, str], set[str]] = {}
    for name, rows in given.of("collective").items():
        for each in releases_attacked(rows):
            names = attacked.setdefault(each, set())
            names.update(tables.all_qids(rows), rows["sensitive"], groups[name])
    found: dict[tuple[str, str], Drawn] = {}
    for place, names in attacked.items():
        done = _done(given.origin(*place).protections)
        drawn = Drawn(place[1], done, known.get(place, ""))
        for left in concerned([drawn], names):
            found[place] = left
    return found


def releases_attacked(collective: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the table and each release of an analysis, the focal one first."""
    rows = tables.with_text(collective)
    row = list(tables.by_panel(rows).values())[-1].iloc[0]
    yield from ((row["table"], each) for each in tables.releases_of(row))


def _done(protections: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the attributes of which values were drawn, by method."""
    names = zip(protections["methods"], protections["attribute"], strict=True)
    return by_method((each, name) for every, name in names for each in every.split("|"))


def marked(drawn: Iterable[Drawn], voice: Voice) -> tuple[str, ...]:
    """Return what a mark on rows means, a sentence for each release."""
    return tuple(say("marked", each, voice) for each in drawn)


def caution(drawn: Collection[Drawn], voice: Voice, page: str = "") -> Line:
    """Return what stands above numbers, with a link to what can be found out.

    That is on the page of that name, or on the same one. Empty if nothing was drawn.
    """
    if not drawn:
        return Line("")
    text = " ".join(say("caution", each, voice) for each in drawn)
    return _with_known(text, drawn, voice, page)


def limits(drawn: Iterable[Drawn], voice: Voice, page: str = "") -> Iterator[Line]:
    """Yield for each release that what is true of persons was not measured."""
    for each in drawn:
        yield _with_known(say("limit", each, voice), (each,), voice, page)


def _with_known(text: str, drawn: Collection[Drawn], voice: Voice, page: str) -> Line:
    """Add where it stands what can be found out, or that it was not measured."""
    for each in drawn:
        if each.known:
            anchor = Place(_KNOWN, each.known, {}, voice).anchor
            link = voice.say("face_value.known", analysis=each.known)
            return Line(text, f"{page}#{anchor}", link)
    unknown = (voice.say("face_value.unknown", release=e.release) for e in drawn)
    return Line(" ".join([text, *unknown]))
