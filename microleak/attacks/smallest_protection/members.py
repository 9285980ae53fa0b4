"""How many of those who have a rarer value are exposed, in words and as a table."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.smallest_protection.shown import SearchShown
from microleak.report.parts import Grid, GridColumn, Place
from microleak.report.texts import capital, has_words, value_label, who_has


def exposed_text(shown: SearchShown, who: str, place: Place) -> Iterator[str]:
    """Yield of how many it stays certain who have a value, for each attribute."""
    # It is the value that collective attacks tell of first: of those of which somebody
    # is exposed by the release as it is, one that the texts have words for, and not a
    # missing one; then the one of which most are. `who` names the adversary.
    rows = shown.values
    of_some = rows if rows.empty else rows[rows["n_before"] > 0]
    if of_some.empty:
        return
    for _, of_attribute in of_some.groupby("sensitive", sort=False):
        records = of_attribute.to_dict("records")
        ranks = of_attribute.assign(
            has_words=[has_words(row, place.voice) for row in records],
            is_given=~of_attribute["is_missing"].isin([True, "true"]),
        )
        order = ["has_words", "is_given", "n_before"]
        first = ranks.sort_values(order, ascending=False, kind="stable").iloc[0]
        yield _said(first, shown, who, place)


def _said(row: pd.Series, shown: SearchShown, who: str, place: Place) -> str:
    one = "_one" if row["n_members"] == 1 else ""
    kind = "certain" if row["n_certain"] else "nobody"
    kind = kind if shown.answer["n_changed"] else "as_it_is"
    told = {"who": who, "Who": capital(who), "who_has_it": who_has(row, place.voice)}
    return place.say(f"members_{kind}{one}", row, **told)


def exposed_grid(shown: SearchShown, place: Place) -> Iterator[Grid]:
    """Yield of how many of each value it is certain before and after, if of any."""
    if shown.values.empty:
        return
    after = ["n_certain"] if shown.answer["n_changed"] else []
    columns: list[GridColumn] = [
        ("value", lambda row: value_label(row, place.voice)),
        *("n_members", "n_before:count", *after),
    ]
    yield place.grid(shown.values, columns, "caption_members", is_folded=True)
