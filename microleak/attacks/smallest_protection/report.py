"""Which smallest change keeps to a target: a part of the page an analysis."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import pandas as pd

from microleak.attacks.smallest_protection.choice import given_away_text
from microleak.attacks.smallest_protection.chooser import (
    LEFT_OUT,
    SCRIPT,
    chooser,
    kind_of_loss,
    loss_text,
)
from microleak.figures.numbers import Numbers, Words
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    VERMILION,
    analysis_svg,
    as_percent,
    canvas,
    plain_style,
)
from microleak.report.contents import Tables
from microleak.report.families import PartEach
from microleak.report.parts import (
    Bar,
    Grid,
    Link,
    Part,
    Place,
    Reply,
    Rows,
    Sentences,
    Text,
    Undrawn,
)
from microleak.report.public import PublicParts, written_share
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_MOST_TOLD = 3
"""Single changes that are told in words."""


@dataclass(frozen=True)
class Shown:
    """The tables of one search, texts never missing; nodes by re-identification."""

    nodes: pd.DataFrame
    inferred: pd.DataFrame
    cuts: pd.DataFrame
    minimality: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def answer(self) -> pd.Series:
        """The smallest protection."""
        return self.nodes[self.nodes["is_answer"]].iloc[0]

    @property
    def as_it_is(self) -> pd.Series:
        """The release without any change."""
        return self.nodes[self.nodes["n_changed"] == 0].iloc[0]

    @property
    def singles(self) -> pd.DataFrame:
        """Changes of one QID, those after which fewest are alone first."""
        singles = self.nodes[self.nodes["n_changed"] == 1]
        return singles.sort_values(["n_alone", "loss"], kind="stable")

    @property
    def frontier(self) -> pd.DataFrame:
        """Nodes with fewer alone than any of no more loss, by loss."""
        return self.nodes[self.nodes["on_frontier"]]

    @property
    def has_tables(self) -> bool:
        """Whether some change of one QID changes a table that the study names."""
        return bool(self.nodes["tables_changed"].any())

    @property
    def n_nodes(self) -> int:
        """Nodes that were decided, of all sets of QIDs."""
        return int(self.cuts["n_nodes"].sum()) - self.n_by("dearer")

    @property
    def n_counted(self) -> int:
        """Those of them that were counted."""
        return self.n_by("held", "failed", "held_itself", "failed_itself")

    def n_by(self, *reasons: str) -> int:
        """Nodes that were decided for some reasons."""
        is_asked = self.cuts["reason"].isin(reasons)
        return int(self.cuts.loc[is_asked, "n_nodes"].sum())

    @property
    def has_own_record(self) -> bool:
        """Whether the target bounds what the own record adds, which is not monotone."""
        return "own_record:" in self.answer["target"]


def shown_of(nodes: pd.DataFrame, cuts: pd.DataFrame) -> Shown:
    """Return the tables of one search, however they were read."""
    told = tables.with_text(nodes)
    claims = {
        name: told[name].isin([True, "true"])
        for name in ("is_answer", "on_frontier", "holds")
    }
    told = told.assign(**claims)
    is_person = told["sensitive"] == ""
    return Shown(told[is_person], told[~is_person], tables.with_text(cuts))


def analyses(families: Rows) -> Iterator[tuple[str, Shown]]:
    """Yield the tables of each search, with its name."""
    for name, nodes in families.get("smallest_protection", {}).items():
        minimality = tables.with_text(families["minimality"][name])
        shown = shown_of(nodes, families["cuts"][name])
        yield name, replace(shown, minimality=minimality)


def figures(
    name: str, shown: Shown, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one search."""
    names, draw = ("smallest_protection", name, "frontier"), partial(_draw, shown)
    yield Undrawn.of_release(names, draw, shown.nodes.iloc[0], synthetic)


def frontier(nodes: pd.DataFrame, words: Words) -> str:
    """Draw how many are alone over what is lost, as an `<svg>`.

    The line goes through the nodes with fewer alone than any of no more loss; dots are
    changes of one QID, and a larger one is the smallest protection.
    """
    empty = pd.DataFrame({"reason": [], "n_nodes": []})
    return _draw(shown_of(nodes, empty), words)


def _draw(shown: Shown, words: Words) -> str:
    numbers, answer = words.numbers, shown.answer
    n_records = int(answer["n_records"])
    line, singles = shown.frontier, shown.singles
    kind = kind_of_loss(answer)
    widest = _widest(kind, shown)
    with plain_style():
        figure, (axis,) = canvas(1, 1, (8, 4.4))
        axis.step(
            [*line["loss"], widest],
            [*(line["n_alone"] / n_records), *(line["n_alone"] / n_records)[-1:]]
            or [float("nan")],
            where="post",
            color=BLUE,
            linewidth=1.6,
        )
        axis.scatter(
            singles["loss"], singles["n_alone"] / n_records, s=16, color=GREY, zorder=3
        )
        place = float(answer["loss"]), int(answer["n_alone"]) / n_records
        axis.scatter(*place, s=70, color=VERMILION, zorder=4)
        axis.set_xlim(-0.02 * widest, 1.02 * widest)
        as_percent(axis, words)
        ticks = [0, 0.25 * widest, 0.5 * widest, 0.75 * widest, widest]
        axis.set_xticks(ticks, [loss_text(kind, tick, numbers) for tick in ticks])
        axis.set_xlabel(words.say(f"smallest_protection_{kind}"))
        axis.set_ylabel(words.say("smallest_protection_alone"))
        axis.annotate(
            words.say("smallest_protection_answer"),
            place,
            xytext=(10, 8),
            textcoords="offset points",
            color=DARK_VERMILION,
            fontsize=9,
        )
        alone = {
            "before": numbers.share(int(shown.as_it_is["n_alone"]) / n_records),
            "after": numbers.share(place[1]),
        }
        kept = "" if answer["n_changed"] else "_none"
        left = "" if kept or answer["n_alone"] else "_nobody"
        lost = lost_text(answer, words.say, "smallest_protection_lost", numbers)
        told = (
            words.say(f"smallest_protection_found{kept}{left}", **alone),
            [words.say(f"smallest_protection_alt{kept}", **alone, lost=lost)],
        )
        names = ("smallest_protection", "frontier")
        return analysis_svg(figure, names, shown.nodes, told, words)


def part(shown: Shown, place: Place) -> Part:
    """Return the part of one search.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    voice, first = place.voice, shown.as_it_is
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("smallest_protection.kicker"),
        heading=_heading(shown, voice),
        measured=(place.measured(first), place.known(tables.qids_of(first))),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("frontier", _caption(shown, voice)),
            *chooser(
                shown.nodes,
                shown.inferred,
                place.anchor,
                lambda name, level: _told(name, level, voice),
                voice,
            ),
            _grid("singles", shown.singles, voice, has_tables=shown.has_tables),
            *_further(shown, place.anchor, voice),
        ),
        downloads=place.downloads(
            "smallest_protection", "witnesses", "cuts", "minimality"
        ),
        replies=(_reply(shown, place),),
    )


def _reply(shown: Shown, place: Place) -> Reply:
    """Return which protection would help most, with what it costs."""
    voice, row = place.voice, shown.answer
    rows = {"before": shown.as_it_is, "after": row}
    n_records = int(row["n_records"])
    alone = {key: int(each["n_alone"]) / n_records for key, each in rows.items()}
    written = {key: voice.numbers.share(share) for key, share in alone.items()}
    left = "" if row["n_alone"] else "_nobody"
    key = f"reply{left}" if row["n_changed"] else "reply_none"
    text = voice.say(
        f"smallest_protection.{key}",
        change=change_text(row, voice),
        target=target_text(row, voice),
        loss=voice.numbers.share(row["information"]),
        **written,
    )
    if row["n_changed"] and kind_of_loss(row) != "information":
        text += " " + voice.say(
            "smallest_protection.reply_lost", lost=_lost(row, voice)
        )
    path, _ = place.download("smallest_protection", "")
    return Reply(
        "help",
        text,
        f"#{place.anchor}",
        (
            Link(voice.say("answer.row"), f"#{place.anchor}-row"),
            Link(voice.say("answer.equation"), f"#{place.anchor}-definitions"),
            Link(voice.say("answer.file"), path),
        ),
        tuple(
            Bar(voice.say(f"smallest_protection.bar_{key}"), alone[key], written[key])
            for key in rows
        )
        if row["n_changed"]
        else (),
        voice.say("smallest_protection.bars", known=voice.known(tables.qids_of(row))),
    )


def _further(shown: Shown, anchor: str, voice: Voice) -> Iterator[Grid]:
    if len(shown.frontier):
        grid = _grid("changes", shown.frontier, voice, is_folded=True)
        anchors = tuple(
            f"{anchor}-row" if is_answer else ""
            for is_answer in shown.frontier["is_answer"]
        )
        yield replace(grid, anchors=anchors)


def target_text(row: pd.Series, voice: Voice) -> str:
    """Write the bounds of a target, and by how many QIDs they hold."""
    bounds = [bound.split(":") for bound in row["target"].split("|")]
    said = voice.listing(
        voice.say(f"smallest_protection.target_{name}", value=_bound(value, voice))
        for name, value in bounds
    )
    n_known, facts = int(row["n_known"]), tables.qids_of(row)
    if n_known == len(facts):
        return said
    number = voice.number_word(n_known)
    return voice.say("smallest_protection.target_any", target=said, number=number)


def _bound(value: str, voice: Voice) -> str:
    """Write a whole number, or a share from its fraction, as a study file gives it."""
    numerator, _, denominator = value.partition("/")
    if not denominator:
        return voice.numbers.count(int(value))
    percent = 100 * int(numerator) / int(denominator)
    if percent == int(percent):
        return f"{voice.numbers.count(percent)}%"
    return voice.numbers.share(int(numerator) / int(denominator))


def change_text(row: pd.Series, voice: Voice) -> str:
    """Say which QIDs are left out, and how others are told more coarsely."""
    said = []
    if left_out := [name for name in row["left_out"].split("|") if name]:
        names = voice.listing(f"“{voice.attribute(name)}”" for name in left_out)
        said.append(voice.say("smallest_protection.left_out", names=names))
    for each in filter(None, row["levels"].split("|")):
        name, _, level = each.rpartition(":")
        said.append(_told(name, level, voice))
    return voice.listing(said) if said else ""


def _told(name: str, level: str, voice: Voice) -> str:
    """Say how coarsely a QID is told."""
    quoted = f"“{voice.attribute(name)}”"
    if level == LEFT_OUT:
        return voice.say("smallest_protection.left_out", names=quoted)
    kind, _, n = level.partition(" ")
    return voice.say(f"smallest_protection.told_{kind}", name=quoted, n=n)


def _heading(shown: Shown, voice: Voice) -> str:
    row, numbers = shown.answer, voice.numbers
    n_records = int(row["n_records"])
    key = "heading" if row["n_changed"] else "heading_none"
    if row["n_known"] < len(tables.qids_of(row)):
        key += "_any"
    return voice.say(
        f"smallest_protection.{key}",
        target=target_text(row, voice),
        change=change_text(row, voice),
        lost=_lost(row, voice),
        before=numbers.share(int(shown.as_it_is["n_alone"]) / n_records),
        after=numbers.share(int(row["n_alone"]) / n_records)
        if row["n_alone"]
        else voice.say("smallest_protection.nobody"),
    )


def _sentences(shown: Shown, voice: Voice) -> Iterator[str]:
    """Yield what single changes bring, and how the answer is proved."""
    numbers = voice.numbers
    n_records = int(shown.answer["n_records"])
    before = numbers.share(int(shown.as_it_is["n_alone"]) / n_records)
    for _, row in shown.singles.head(_MOST_TOLD).iterrows():
        said = voice.say(
            "smallest_protection.what_if",
            change=change_text(row, voice),
            before=before,
            after=numbers.share(int(row["n_alone"]) / n_records),
            lost=_lost(row, voice),
        )
        yield f"{said} {_tables(row, 'tables', voice)}" if shown.has_tables else said
    if shown.has_tables and shown.answer["n_changed"]:
        yield _tables(shown.answer, "tables_answer", voice)
    for _, row in shown.inferred[shown.inferred["is_answer"]].iterrows():
        yield voice.say(
            "smallest_protection.inferred",
            sensitive=voice.attribute(row["sensitive"]),
            right=numbers.share(row["posterior_prob"]),
            certain=numbers.share(int(row["n_certain"]) / n_records),
        )
        if shown.has_own_record:
            yield voice.say(
                "smallest_protection.own_record",
                sensitive=voice.attribute(row["sensitive"]),
                own=numbers.share(row["own_record"]),
            )
    is_whole = shown.n_counted == shown.n_nodes
    is_of_some = shown.answer["n_known"] < len(tables.qids_of(shown.answer))
    yield voice.say(
        f"smallest_protection.proof{'_counted' if is_whole else ''}"
        f"{'_any' if is_of_some else ''}",
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
    yield from given_away_text(shown.minimality, shown.answer, change_text, voice)


def _caption(shown: Shown, voice: Voice) -> str:
    """Say what the figure has, which is not always of all combinations."""
    is_whole = shown.n_counted == shown.cuts["n_nodes"].sum()
    key = f"smallest_protection.caption_frontier{'' if is_whole else '_counted'}"
    return voice.say(key)


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


def _widest(kind: str, shown: Shown) -> float:
    """Return the largest loss of the figure: 1 of what all nodes can lose wholly."""
    if kind in {"information", "cells"}:
        return 1.0
    return float(shown.nodes["loss"].max()) or 1.0


def lost_text(
    row: pd.Series, say: Callable[..., str], prefix: str, numbers: Numbers
) -> str:
    """Say what a change loses, after its subject."""
    kind, _, of = row["loss_of"].partition(":")
    lost = loss_text(kind, float(row["loss"]), numbers)
    return say(f"{prefix}_{kind}", loss=lost, of=", ".join(of.split("|")))


def _lost(row: pd.Series, voice: Voice) -> str:
    return lost_text(row, voice.say, "smallest_protection.lost", voice.numbers)


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


def words(_: Shown) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("node", "loss", "proof")


def public_parts(published: Tables, voice: Voice) -> Iterator[Part]:
    """Yield a part of a public report's page for each analysis."""

    def say(key: str, **values: str) -> str:
        """Return a phrase of a public part."""
        return voice.say(f"smallest_protection.public_{key}", **values)

    for name, given in published.of("answer").items():
        rows = tables.with_text(given)
        place = Place("smallest_protection", name, {}, voice)
        kicker = voice.say("smallest_protection.kicker")
        if rows.empty:
            body = (Text("paragraph", say("none")),)
            yield Part(place.anchor, name, kicker, heading=name, body=body)
            continue
        first, last = rows.iloc[0], rows.iloc[-1]
        shares = {
            key: written_share(int(row["alone_pct"]), int(row["step_pct"]))
            for key, row in (("before", first), ("after", last))
        }
        known = voice.listing(map(voice.explained, tables.qids_of(first)))
        panel = voice.say("public.panel", table=first["table"], focal=first["focal"])
        answer = change_text(last, voice)
        yield Part(
            place.anchor,
            name,
            kicker,
            heading=say(f"heading{'' if answer else '_none'}", change=answer, **shares),
            body=(
                Text("paragraph", f"{panel} {say('known', names=known)}"),
                Text("paragraph", say("target", target=target_text(first, voice))),
                Text("note", say("note", step=f"{first['step_pct']}%")),
            ),
            downloads=place.downloads("answer"),
        )


PUBLIC = PublicParts(public_parts)

SHOWN = PartEach("smallest_protection", analyses, figures, part, words, SCRIPT)
