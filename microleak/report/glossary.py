"""Words explained, what was not measured, and how a page is made again."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from microleak import __version__
from microleak.report.contents import Headline
from microleak.report.parts import Grid
from microleak.report.sentences import span
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Term:
    """A word and what it means."""

    term: str
    text: str


def glossary(others: Collection[str], voice: Voice) -> list[Term]:
    """Return the words of a page, in the order of the alphabet.

    Parameters
    ----------
    others
        Topics that a page does not have, whose words are left out.
    voice
        The language.
    """
    terms = [
        Term(entry["term"], entry["text"])
        for entry in voice.texts["glossary"].values()
        if entry.get("topic", "") not in others
    ]
    return sorted(terms, key=lambda entry: _unaccented(entry.term))


def not_measured(topics: Collection[str], voice: Voice) -> list[str]:
    """Say which kinds of analyses a study does not have; nothing if it has all."""
    kinds = voice.texts["measurable"].items()
    absent = [name for topic, name in kinds if topic not in topics]
    if not absent:
        return []
    return [voice.say("glossary_page.not_measured", names=voice.listing(absent))]


def reproduction(study: Headline, voice: Voice) -> list[str]:
    """Say with what pages are made again, with which commands, and where hashes are."""
    name, file = study.name, study.file or f"{study.name}.yaml"
    path = voice.say("glossary_page.path", file=file)
    return [
        voice.say("glossary_page.reproduce", study=name, version=__version__),
        f"microleak run {path}\nmicroleak verify results/{name}",
        voice.say("glossary_page.manifest", study=name),
    ]


def _unaccented(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def removals(removed: pd.DataFrame, voice: Voice) -> list[Grid]:
    """Lay out for which reasons records of each table were removed, if any were.

    Of several releases the shares are the lowest and the highest, with their names.

    Parameters
    ----------
    removed
        Rows of `measures/removed.csv`; may be empty. A reason for which nothing
        was removed is left out.
    voice
        The language.
    """
    if removed.empty or not (removed["n_rows"] > 0).any():
        return []
    by_reason = tables.with_text(removed).groupby(
        ["table", "attribute", "reason"], sort=False
    )
    return [
        Grid(
            caption=voice.say("removed.caption"),
            headings=(
                voice.say("page.column_table"),
                voice.say("importance.column_attribute"),
                voice.say("removed.column_reason"),
                voice.say("removed.column_share"),
            ),
            rows=tuple(
                (table, attribute, voice.say(f"removed.{reason}"), _share(rows, voice))
                for (table, attribute, reason), rows in by_reason
                if (rows["n_rows"] > 0).any()
            ),
            n_texts=3,
        )
    ]


def _share(rows: pd.DataFrame, voice: Voice) -> str:
    """Write the share of one release, or the lowest and the highest of several."""
    of_release = rows.set_index("release")
    shares = of_release["share_of_read"]

    def write(release: str) -> str:
        return voice.numbers.share(shares[release])

    if len(shares) == 1:
        return write(shares.index[0])
    return span(shares, write, voice)
