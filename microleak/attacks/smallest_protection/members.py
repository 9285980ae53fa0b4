"""How many of those who have a rarer value are exposed, in words and as a table."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.smallest_protection.shown import SearchShown
from microleak.report.members import has_words, value_label, who_has
from microleak.report.parts import Grid
from microleak.report.texts import Voice, capital


def exposed_text(shown: SearchShown, who: str, voice: Voice) -> Iterator[str]:
    """Yield of how many it stays certain who have a value, for each attribute.

    It is the value that collective attacks tell of first: of those of which somebody is
    exposed by the release as it is, one that the texts have words for, and not a
    missing one; then the one of which most are. `who` names the adversary.
    """
    rows = shown.values
    of_some = rows if rows.empty else rows[rows["n_before"] > 0]
    if of_some.empty:
        return
    for _, of_attribute in of_some.groupby("sensitive", sort=False):
        ranks = pd.DataFrame(
            {
                "has_words": [has_words(r, voice) for _, r in of_attribute.iterrows()],
                "is_given": ~of_attribute["is_missing"].isin([True, "true"]),
                "n_before": of_attribute["n_before"],
            },
            index=of_attribute.index,
        )
        order = ranks.sort_values([*ranks], ascending=False, kind="stable")
        yield _said(of_attribute.loc[order.index[0]], shown, who, voice)


def _said(row: pd.Series, shown: SearchShown, who: str, voice: Voice) -> str:
    n_members, n_certain = int(row["n_members"]), int(row["n_certain"])
    one = "_one" if n_members == 1 else ""
    kind = "as_it_is" if not shown.answer["n_changed"] else ""
    kind = kind or ("certain" if n_certain else "nobody")
    return voice.say(
        f"smallest_protection.members_{kind}{one}",
        who=who,
        Who=capital(who),
        n=voice.numbers.count(n_certain),
        n_members=voice.numbers.count(n_members),
        who_has_it=who_has(row, voice),
        before=voice.numbers.count(int(row["n_before"])),
    )


def exposed_grid(shown: SearchShown, voice: Voice) -> Iterator[Grid]:
    """Yield of how many of each value it is certain before and after, if of any."""
    if shown.values.empty:
        return
    count = voice.numbers.count
    is_changed = bool(shown.answer["n_changed"])
    counts = ["n_members", "n_before", *(["n_certain"] if is_changed else [])]
    columns = ["value", "members", "before", *(["after"] if is_changed else [])]
    yield Grid(
        caption=voice.say("smallest_protection.caption_members"),
        headings=voice.columns("smallest_protection", *columns),
        rows=tuple(
            (
                value_label(row, voice),
                *(count(int(row[name])) for name in counts),
            )
            for _, row in shown.values.iterrows()
        ),
        is_folded=True,
    )
