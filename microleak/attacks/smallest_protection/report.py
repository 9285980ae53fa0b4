"""Which smallest change keeps to a target: a part of the page an analysis."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

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
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import (
    Folded,
    Grid,
    Part,
    Passage,
    Place,
    Sentences,
    TablesByKind,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_MOST_TOLD = 3
"""Single changes that are told in words."""


def analyses(families: TablesByKind) -> Iterator[tuple[str, SearchShown]]:
    """Yield the tables of each search, with its name."""
    for name, nodes in families.get("smallest_protection", {}).items():
        kinds = "cuts", "lattice", "minimality", "exposed"
        others = (families[each][name] for each in kinds)
        yield name, shown_of(nodes, *others)


def figures(
    name: str, shown: SearchShown, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one search."""
    names, draw = (
        ("smallest_protection", name, "frontier"),
        partial(draw_frontier, shown),
    )
    yield Undrawn.of_release(names, draw, shown.nodes.iloc[0], synthetic)


def part(shown: SearchShown, place: Place) -> Part:
    """Return the part of one search."""
    voice, first = place.voice, shown.as_it_is
    drawing = place.drawing("frontier", _caption(shown, voice))
    return place.part(
        heading=_heading(shown, voice),
        measured=(place.measured(first), place.known(tables.qids_of(first))),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            drawing,
            chooser(shown, place.anchor, voice),
            _grid(
                "singles",
                shown.singles,
                voice,
                is_folded=True,
                has_tables=shown.has_tables,
            ),
            _effective(shown, place.anchor, voice),
            *exposed_grid(shown, voice),
            *_to_apply(shown, voice),
        ),
        downloads=place.downloads(*OF_SEARCH),
        replies=(reply(shown, place, drawing),),
    )


def _effective(shown: SearchShown, anchor: str, voice: Voice) -> Grid:
    """Return the table of changes than which no other is better in both."""
    rows = shown.effective
    key = "changes" if shown.is_whole else "changes_counted"
    grid = _grid(key, rows, voice, is_folded=True)
    anchors = tuple(f"{anchor}-row" if each else "" for each in rows["is_answer"])
    return replace(grid, anchors=anchors)


def _to_apply(shown: SearchShown, voice: Voice) -> Iterator[Folded]:
    """Yield what makes the release with the answer, if it changes anything."""
    answer = shown.answer
    if answer["n_changed"]:
        name = f"{answer['analysis']}-protected"
        sensitive = shown.inferred["sensitive"].unique().tolist()
        section = section_text(name, answer, levels_by_qid(shown.nodes), sensitive)
        said = voice.say("smallest_protection.then_export", name=name)
        body = Passage("code", section), Passage("paragraph", said)
        yield Folded(voice.say("smallest_protection.to_apply"), body)


def _heading(shown: SearchShown, voice: Voice) -> str:
    row = shown.answer
    return voice.say(
        f"smallest_protection.heading{'' if row['n_changed'] else '_none'}",
        target=target_text(row, voice),
        change=change_text(row, voice),
        lost=said_lost(row, voice),
        figures=figures_text(shown, voice),
    )


def _sentences(shown: SearchShown, voice: Voice) -> Iterator[str]:
    """Yield what single changes bring, what is learnt after all, and the proof."""
    yield from _what_if(shown, voice)
    if shown.has_tables and shown.answer["n_changed"]:
        yield _tables(shown.answer, "tables_answer", voice)
    yield from _inferred(shown, voice)
    yield from _proof(shown, voice)
    yield from given_away_text(shown.minimality, shown.answer, change_text, voice)


def _what_if(shown: SearchShown, voice: Voice) -> Iterator[str]:
    """Yield what those single changes bring after which fewest are alone.

    Of levels of one QID with as many alone it is the finest.
    """
    numbers, n_records = voice.numbers, int(shown.answer["n_records"])
    before = numbers.share(int(shown.as_it_is["n_alone"]) / n_records)
    singles = shown.singles
    qid = singles["left_out"] + singles["levels"].str.replace(":.*", "", regex=True)
    is_coarser = singles.assign(qid=qid).duplicated(["qid", "n_alone"])
    for _, row in singles[~is_coarser].head(_MOST_TOLD).iterrows():
        said = voice.say(
            "smallest_protection.what_if",
            change=change_text(row, voice),
            before=before,
            after=numbers.share(int(row["n_alone"]) / n_records),
            lost=said_lost(row, voice),
        )
        yield f"{said} {_tables(row, 'tables', voice)}" if shown.has_tables else said


def _inferred(shown: SearchShown, voice: Voice) -> Iterator[str]:
    """Yield what is learnt of each sensitive attribute after the smallest change."""
    numbers, n_records = voice.numbers, int(shown.answer["n_records"])
    for _, row in shown.inferred[shown.inferred["is_answer"]].iterrows():
        sensitive = voice.attribute(row["sensitive"])
        yield voice.say(
            "smallest_protection.inferred",
            sensitive=sensitive,
            right=numbers.share(row["posterior_prob"]),
            certain=numbers.share(int(row["n_certain"]) / n_records),
        )
        if shown.has_own_record:
            own = numbers.share(row["own_record"])
            key = "smallest_protection.own_record"
            yield voice.say(key, sensitive=sensitive, own=own)


def _proof(shown: SearchShown, voice: Voice) -> Iterator[str]:
    """Yield how the answer is proved."""
    numbers = voice.numbers
    counted = "_counted" if shown.n_counted == shown.n_nodes else ""
    any_of = "_any" if is_of_some(shown.answer) else ""
    yield voice.say(
        f"smallest_protection.proof{counted}{any_of}",
        n_nodes=numbers.count(shown.n_nodes),
        n_counted=numbers.count(shown.n_counted),
        number=voice.number_word(int(shown.answer["n_known"])),
    )
    if shown.has_own_record:
        yield voice.say(
            "smallest_protection.proof_own",
            n_itself=numbers.count(shown.n_by("held_itself", "failed_itself")),
        )
    if n_dearer := shown.n_by("dearer"):
        yield voice.say(
            "smallest_protection.proof_open", n_dearer=numbers.count(n_dearer)
        )


def _caption(shown: SearchShown, voice: Voice) -> str:
    """Say what the figure has, which is not always of all combinations."""
    known = voice.known(tables.qids_of(shown.answer))
    said = [f"caption_frontier{'' if shown.is_whole else '_counted'}"]
    said += ["caption_any"] if is_of_some(shown.answer) else []
    return " ".join(
        voice.say(f"smallest_protection.{key}", known=known) for key in said
    )


def _tables(row: pd.Series, key: str, voice: Voice) -> str:
    """Say which tables that the study names change, and by how much."""
    changed = [
        each.rpartition(":") for each in row["tables_changed"].split("|") if each
    ]
    if not changed:
        return voice.say(f"smallest_protection.{key}_none")
    tables = voice.listing(
        voice.say(
            "smallest_protection.table_changed",
            name=name,
            share=voice.numbers.share(float(share)),
        )
        for name, _, share in changed
    )
    return voice.say(f"smallest_protection.{key}", tables=tables)


def _grid(
    caption: str,
    rows: pd.DataFrame,
    voice: Voice,
    is_folded: bool = False,
    has_tables: bool = False,
) -> Grid:
    numbers = voice.numbers
    kind = kind_of_loss(rows.iloc[0]) if len(rows) else "information"
    columns = ["change", kind, "alone", "right", "smallest", "holds"]
    columns += ["tables"] if has_tables else []
    return Grid(
        caption=voice.say(f"smallest_protection.caption_{caption}"),
        headings=voice.columns("smallest_protection", *columns),
        rows=tuple(
            (
                change_text(row, voice)
                if row["n_changed"]
                else voice.say("smallest_protection.as_it_is"),
                loss_text(kind, row["loss"], numbers),
                numbers.share(int(row["n_alone"]) / int(row["n_records"])),
                numbers.share(row["posterior_prob"]),
                numbers.count(row["smallest_block"]),
                voice.say(
                    f"smallest_protection.holds_{'yes' if row['holds'] else 'no'}"
                ),
                *([_table_names(row)] if has_tables else []),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=1,
        is_folded=is_folded,
    )


def _table_names(row: pd.Series) -> str:
    changed = filter(None, row["tables_changed"].split("|"))
    return ", ".join(each.rpartition(":")[0] for each in changed)


def words(_: SearchShown) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("node", "loss", "proof")


SHOWN = PartEach("smallest_protection", analyses, figures, part, words, SCRIPT)
