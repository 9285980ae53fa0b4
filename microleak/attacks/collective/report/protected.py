"""Protections beside the releases that they are made of, in one table."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.report.comparison import words_of
from microleak.attacks.collective.report.contents import Facts, Measures, unit_words
from microleak.attacks.collective.report.face_value import marked
from microleak.attacks.collective.report.findings import attack_kind
from microleak.report.face_value import Drawn, concerned, remark
from microleak.report.parts import Grid, Line, Link, Names, Part, Reply, Said, Sentences
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def protected_parts(
    study: Facts, measures: Measures, protections: pd.DataFrame, voice: Voice
) -> Iterator[Part]:
    """Yield a part for each table that has protections to compare.

    Further findings tell of re-identification by each protection, or of the first
    attribute that is inferred. `protections` is the table of that name.
    """
    rows = measures.before_and_after()
    if rows.empty:
        return
    for table in rows["table"].unique():
        shown = _shown(rows[rows["table"] == table])
        drawn = {place: _drawn(shown.loc[[place]], measures) for place in shown.index}
        anew = [
            each
            for _, several in shown.groupby("later", sort=False)
            for each in _drawn(several, measures)
        ]
        anchor = f"{voice.language}-protected:{quote(table)}"
        heading = voice.say("page.protected_heading", table=table)
        lines = tuple(
            Line(
                f"{_sentence(row, study.unit(table), voice)} "
                f"{remark(drawn[place], voice)}".strip(),
                f"#{anchor}",
                row["later"],
            )
            for place, row in shown.drop_duplicates(["earlier", "later"]).iterrows()
        )
        changed = (
            _found(*each, study.unit(table), voice)
            for each in _changed(shown, drawn, measures, protections)
        )
        yield Part(
            anchor=anchor,
            analysis=table,
            kicker="",
            heading=heading,
            said=(Said(lines, voice.say("page.protected_label")),),
            body=(
                Sentences((voice.say("page.protected_note"), *marked(anew, voice))),
                _grid(shown, drawn, voice),
            ),
            downloads=(("data/comparison.csv", voice.say("page.download_comparison")),),
            replies=(
                Reply(
                    "change",
                    " ".join((voice.say("replies.change_protected"), *changed)),
                    f"#{anchor}",
                    (Link(heading, f"#{anchor}"),),
                    rank=1,
                ),
            ),
        )


_MOST_CHANGED = 2
"""Protections of which the first screen tells what they changed."""


def _changed(
    shown: pd.DataFrame,
    drawn: Mapping[Hashable, Sequence[Drawn]],
    measures: Measures,
    protections: pd.DataFrame,
) -> Iterator[tuple[pd.Series, pd.Series]]:
    """Yield the attack before and after the first protections that draw nothing.

    It is someone who knows the attributes that are attacked in the protected release
    and those that it drops, if that was measured before.
    """
    own = shown[[not drawn[place] for place in shown.index]]
    pairs = own.drop_duplicates(["earlier", "later"])
    attacks = tables.with_text(
        pd.concat([*measures.collective.values()], ignore_index=True)
    )
    is_found = (attacks["sensitive"] == "") & (attacks["auxiliary"] == "")
    for _, pair in pairs.head(_MOST_CHANGED).iterrows():
        of_table = attacks[is_found & (attacks["table"] == pair["table"])]
        after = of_table[of_table["focal"].astype(str) == pair["later"]]
        before = of_table[of_table["focal"].astype(str) == pair["earlier"]]
        row = after.loc[after["n_qids"].idxmax()]
        left = frozenset(tables.qids_of(row))
        every = left | _dropped(pair, protections)
        names = before["qids"].map(lambda qids: frozenset(qids.split("|")))
        known = before[names == every]
        if known.empty:
            known = before[names == left]
        if not known.empty:
            yield known.iloc[0], row


def _dropped(pair: pd.Series, protections: pd.DataFrame) -> frozenset[str]:
    """Return the attributes that a protection drops."""
    if protections.empty:
        return frozenset()
    own = protections[
        (protections["table"] == pair["table"])
        & (protections["release"].astype(str) == pair["later"])
    ]
    is_dropped = own["methods"].str.split("|").map(lambda each: "drop" in each)
    return frozenset(own.loc[is_dropped, "attribute"])


def _found(before: pd.Series, after: pd.Series, unit: str, voice: Voice) -> str:
    first, last = voice.numbers.two_shares(
        before["posterior_det"], after["posterior_det"]
    )
    return voice.say(
        "replies.change_found",
        before,
        before=first,
        n_before=int(before["n_certain"]),
        earlier=before["focal"],
        after=last,
        n_after=int(after["n_certain"]),
        later=after["focal"],
        **unit_words(unit, voice),
    )


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return of each subject one row a protection, in the order of the rows."""
    parts = tables.by_subject(rows).values()
    return pd.concat([_with_most_shared(part) for part in parts]).sort_index()


def _with_most_shared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the largest set of QIDs that all protections share.

    Of equals that is the first. If they share none, it is the largest of each.
    """
    names = rows["qids"].map(lambda qids: frozenset(qids.split("|")))
    pairs = rows.groupby(["earlier", "later"], sort=False)
    shared = rows[names.map(names.value_counts()) == pairs.ngroups]
    if shared.empty:
        return rows.loc[pairs["n_qids"].idxmax()]
    return rows[names == names[shared["n_qids"].idxmax()]]


def _drawn(rows: pd.DataFrame, measures: Measures) -> tuple[Drawn, ...]:
    """Return the protection of some rows, if values that these tell of were drawn."""
    first = rows.iloc[0]
    found = measures.drawn.get((first["table"], first["later"]))
    names = {*tables.all_qids(rows), *rows["sensitive"]}
    return concerned([found] if found else [], names)


def _sentence(row: pd.Series, unit: str, voice: Voice) -> str:
    words = words_of(row, voice, unit)
    return voice.say(f"comparison.{attack_kind(row)}", words)


def _grid(
    shown: pd.DataFrame, drawn: Mapping[Hashable, Sequence[Drawn]], voice: Voice
) -> Grid:
    """Lay out each attack before and after each protection."""
    mark = voice.say("face_value.mark")
    return Grid(
        caption=voice.say("page.protected_caption"),
        headings=(
            *voice.columns("page", "protected", "sensitive", "qids"),
            *voice.columns("page", "before", "after") * 2,
        ),
        rows=tuple(
            (
                f"{row['earlier']} → {row['later']}",
                voice.subject(row["sensitive"]),
                Names.of(tables.qids_of(row), voice, *([mark] if drawn[place] else [])),
                *voice.numbers.two_shares(
                    row["posterior_det_earlier"], row["posterior_det_later"]
                ),
                *voice.numbers.two_shares(
                    row["posterior_prob_earlier"], row["posterior_prob_later"]
                ),
            )
            for place, row in shown.iterrows()
        ),
        n_texts=3,
        over=(
            (voice.say("page.column_posterior_det"), 2),
            (voice.say("page.column_posterior_prob"), 2),
        ),
    )
