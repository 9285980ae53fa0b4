"""Why records were removed: a table by attribute and reason."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from microleak.figures import tables
from microleak.report.spans import span
from microleak.report.texts import Voice


@dataclass(frozen=True)
class Removal:
    """What share of the records read was removed for one reason.

    Of several releases `share` is the lowest and the highest, with their names.
    """

    table: str
    attribute: str
    reason: str
    share: str


def removals(removed: pd.DataFrame, voice: Voice) -> Iterator[Removal]:
    """Yield the reasons for which records of each table were removed.

    Parameters
    ----------
    removed
        Rows of `measures/removed.csv`; may be empty. A reason for which nothing
        was removed is left out.
    voice
        The language and audience.
    """
    if removed.empty:
        return
    keys = ["table", "attribute", "reason"]
    for (table, attribute, reason), rows in tables.with_text(removed).groupby(
        keys, sort=False
    ):
        if (rows["n_rows"] == 0).fillna(False).all():
            continue
        yield Removal(
            table=table,
            attribute=attribute,
            reason=voice.say(f"removed.{reason}"),
            share=_share(rows, voice),
        )


def _share(rows: pd.DataFrame, voice: Voice) -> str:
    """Write the share of one release, or the lowest and the highest of several."""
    of_release = rows.set_index("release")
    shares = of_release["share_of_read"]
    is_some = of_release["n_rows"].ne(0).fillna(True)

    def write(release: str) -> str:
        return voice.numbers.share(shares[release], bool(is_some[release]))

    if len(shares) == 1:
        return write(shares.index[0])
    return span(shares, write, voice) or voice.numbers.suppressed
