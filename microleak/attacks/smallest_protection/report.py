"""Which smallest change keeps to a target: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.smallest_protection.choice import given_away_text
from microleak.attacks.smallest_protection.chooser import SCRIPT, chooser
from microleak.attacks.smallest_protection.figure import draw_frontier
from microleak.attacks.smallest_protection.jobs import OF_SEARCH
from microleak.attacks.smallest_protection.members import exposed_grid
from microleak.attacks.smallest_protection.reply import figures_text, reply
from microleak.attacks.smallest_protection.shown import (
    SearchShown,
    levels_by_qid,
    shown_of,
)
from microleak.attacks.smallest_protection.wording import (
    change_text,
    is_of_some,
    kind_of_loss,
    loss_text,
    said_lost,
    section_text,
    target_text,
)
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import Element, Folded, Grid, GridColumn, Passage, Place

_MOST_TOLD = 3
"""Single changes that are told in words."""


def _found(
    nodes: pd.DataFrame, _: pd.DataFrame, cuts: pd.DataFrame, *others: pd.DataFrame
) -> SearchShown:
    return shown_of(nodes, cuts, *others)


def _measured(shown: SearchShown, place: Place) -> Iterator[str]:
    yield place.say("measured", shown.as_it_is)
    yield place.known(shown.as_it_is["qids"].split("|"))


def _heading(shown: SearchShown, place: Place) -> str:
    row = shown.answer
    return place.say(
        f"heading{'' if row['n_changed'] else '_none'}",
        target=target_text(row, place.voice),
        change=change_text(row, place.voice),
        lost=said_lost(row, place.voice),
        figures=figures_text(shown, place),
    )


def _sentences(shown: SearchShown, place: Place) -> Iterator[str]:
    """Yield what single changes bring, what is learnt after all, and the proof."""
    yield from _what_if(shown, place)
    if shown.has_tables and shown.answer["n_changed"]:
        yield _tables(shown.answer, "tables_answer", place)
    for _, row in shown.inferred[shown.inferred["is_answer"]].iterrows():
        yield place.say("inferred", row, certain=row["n_certain"] / row["n_records"])
        if shown.has_own_record:
            yield place.say("own_record", row)
    yield from _proof(shown, place)
    yield from given_away_text(shown.minimality, shown.answer, place)


def _what_if(shown: SearchShown, place: Place) -> Iterator[str]:
    """Yield what those single changes bring after which fewest are alone."""
    # Of levels of one QID with as many alone it is the finest.
    before, singles = shown.as_it_is["share_alone"], shown.singles
    qid = singles["left_out"] + singles["levels"].str.replace(":.*", "", regex=True)
    is_coarser = singles.assign(qid=qid).duplicated(["qid", "n_alone"])
    for _, row in singles[~is_coarser].head(_MOST_TOLD).iterrows():
        told = {
            "change": change_text(row, place.voice),
            "lost": said_lost(row, place.voice),
        }
        said = place.say("what_if", row, before=before, **told)
        yield f"{said} {_tables(row, 'tables', place)}" if shown.has_tables else said


def _proof(shown: SearchShown, place: Place) -> Iterator[str]:
    counted = "_counted" if shown.n_counted == shown.n_nodes else ""
    any_of = "_any" if is_of_some(shown.answer) else ""
    counts = {"n_nodes": shown.n_nodes, "n_counted": shown.n_counted}
    yield place.say(f"proof{counted}{any_of}", shown.answer, **counts)
    if shown.has_own_record:
        n_itself = shown.n_by("held_itself", "failed_itself")
        yield place.say("proof_own", n_itself=n_itself)
    if n_dearer := shown.n_by("dearer"):
        yield place.say("proof_open", n_dearer=n_dearer)


def _caption(shown: SearchShown, _: str, place: Place) -> str:
    """Write what the figure has, which is not always of all combinations."""
    counted = "" if shown.is_whole else "_counted"
    said = place.say(f"caption_frontier{counted}", shown.answer)
    some = is_of_some(shown.answer)
    return f"{said} {place.say('caption_any')}" if some else said


def _tables(row: pd.Series, key: str, place: Place) -> str:
    changed = [
        each.rpartition(":") for each in row["tables_changed"].split("|") if each
    ]
    if not changed:
        return place.say(f"{key}_none")
    said = (
        place.say("table_changed", name=name, share=float(share))
        for name, _, share in changed
    )
    return place.say(key, tables=place.voice.listing(said))


def _others(shown: SearchShown, place: Place) -> Iterator[Element]:
    """Yield what a reader tries, tables of changes, and what to write to apply one."""
    yield chooser(shown, place.anchor, place.voice)
    yield _grid(shown.singles, "singles", place, has_tables=shown.has_tables)
    rows = shown.effective
    key = "changes" if shown.is_whole else "changes_counted"
    row_of = (f"{place.anchor}-row" if each else "" for each in rows["is_answer"])
    yield _grid(rows, key, place, anchors=tuple(row_of))
    yield from exposed_grid(shown, place)
    answer = shown.answer
    if answer["n_changed"]:
        name = f"{answer['analysis']}-protected"
        sensitive = shown.inferred["sensitive"].unique().tolist()
        section = section_text(name, answer, levels_by_qid(shown.nodes), sensitive)
        body = (
            Passage("code", section),
            Passage("paragraph", place.say("then_export", name=name)),
        )
        yield Folded(place.say("to_apply"), body)


def _grid(
    rows: pd.DataFrame,
    caption: str,
    place: Place,
    has_tables: bool = False,
    anchors: tuple[str, ...] = (),
) -> Grid:
    voice, kind = (
        place.voice,
        kind_of_loss(rows.iloc[0]) if len(rows) else "information",
    )

    def change(row: pd.Series) -> str:
        return change_text(row, voice) if row["n_changed"] else place.say("as_it_is")

    def holds(row: pd.Series) -> str:
        return place.say(f"holds_{'yes' if row['holds'] else 'no'}")

    def changed(row: pd.Series) -> str:
        every = filter(None, row["tables_changed"].split("|"))
        return ", ".join(each.rpartition(":")[0] for each in every)

    columns: list[GridColumn] = [
        ("change", change),
        (kind, lambda row: loss_text(kind, row["loss"], voice.numbers)),
        *("share_alone:share", "posterior_prob", "smallest_block"),
        ("holds", holds),
        *([("tables", changed)] if has_tables else []),
    ]
    key = f"caption_{caption}"
    return place.grid(rows, columns, key, is_folded=True, anchors=anchors)


SHOWN = EachAnalysis(
    "smallest_protection",
    tables=OF_SEARCH,
    found=_found,
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"frontier": draw_frontier},
    caption=_caption,
    releases=lambda shown: main_release(shown.nodes),
    sentences=_sentences,
    others=_others,
    words=lambda _: ("node", "loss", "proof"),
    replies=lambda shown, place: [
        reply(shown, place, place.drawing("frontier", _caption(shown, "", place)))
    ],
    script=SCRIPT,
)
