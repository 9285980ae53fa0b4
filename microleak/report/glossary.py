"""Words explained, what was not measured, and how a page is made again."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from microleak import __version__
from microleak.report.contents import Headline
from microleak.report.texts import Voice


@dataclass(frozen=True)
class Term:
    """A word and what it means."""

    term: str
    text: str


def glossary(topics: Mapping[str, bool], voice: Voice) -> list[Term]:
    """Return the words of a page, in the order of the alphabet.

    Parameters
    ----------
    topics
        Which topics a page has. Words of others are left out, and those of no topic
        or of one that is not listed are there.
    voice
        The language and audience. What is done to published numbers is explained
        where numbers are published only.
    """
    entries = voice.texts["glossary"]
    if voice.numbers.is_published:
        entries = entries | voice.texts["glossary_public"]
    terms = [
        Term(entry["term"], entry["text"])
        for entry in entries.values()
        if topics.get(entry.get("topic", ""), True)
    ]
    return sorted(terms, key=lambda entry: _unaccented(entry.term))


def not_measured(topics: Mapping[str, bool], voice: Voice) -> list[str]:
    """Say which kinds of analyses a study does not have; nothing if it has all."""
    kinds = voice.texts["measurable"].items()
    absent = [name for topic, name in kinds if not topics.get(topic, True)]
    if not absent:
        return []
    return [voice.say("glossary_page.not_measured", names=voice.listing(absent))]


def reproduction(study: Headline, voice: Voice) -> list[str]:
    """Say with what pages are made again, with which commands, and where hashes are."""
    manifest = "manifest_public" if voice.numbers.is_published else "manifest"
    name, file = study.name, study.file or f"{study.name}.yaml"
    path = voice.say("glossary_page.path", file=file)
    return [
        voice.say("glossary_page.reproduce", study=name, version=__version__),
        f"microleak run {path}\nmicroleak verify results/{name}",
        voice.say(f"glossary_page.{manifest}", study=name),
    ]


def _unaccented(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
