"""Which smallest change keeps to a target: a part of the page an analysis."""

from collections.abc import Iterable, Iterator

import pandas as pd

from microleak.attacks.smallest_protection.chooser import SCRIPT, chooser
from microleak.attacks.smallest_protection.figure import draw_frontier
from microleak.attacks.smallest_protection.jobs import OF_SEARCH
from microleak.attacks.smallest_protection.shown import (
    OF_NODE,
    OF_SENSITIVE,
    SearchShown,
    bounds_of,
    change_text,
    is_of_some,
    kind_of_loss,
    left_out_of,
    levels_by_qid,
    levels_of,
    loss_text,
    said_lost,
    section_text,
    shown_of,
    target_text,
)
from microleak.report import parts
from microleak.report.families import EachAnalysis, main_release
from microleak.report.texts import Voice, capital, leading, value_label, who_has
from microleak.tables import rows as tables

_MOST_VALUES = 3
"""Values of a single attribute that are told; of several attributes, one each."""


def exposed_text(shown: SearchShown, place: parts.Place) -> str:
    """Write of how many who have a value it stays certain."""
    # Of each attribute those that are surest and rarest in the release as it is.
    rows = shown.values
    of_some = rows if rows.empty else rows[rows["n_before"] > 0]
    if of_some.empty:
        return ""
    is_changed = shown.answer["n_changed"] > 0
    n_told = _MOST_VALUES if of_some["sensitive"].nunique() == 1 else 1
    told = []
    for _, of_attribute in of_some.groupby("sensitive", sort=False):
        first = leading(of_attribute, "n_before").head(n_told)
        # Of one person nothing is told once it is safe.
        safe = (first["n_members"] == 1) & (first["n_certain"] == 0)
        for _, row in first[~safe].iterrows():
            key = "members" if row["n_members"] > 1 else "member"
            said = place.say(key, row, who_has_it=who_has(row, place.voice))
            told.append(said + (place.say("before", row) if is_changed else ""))
    if not told:
        return ""
    key = "exposed" if is_changed else "exposed_as_it_is"
    return place.say(key, members=place.voice.listing(told))


def exposed_grid(shown: SearchShown, place: parts.Place) -> Iterator[parts.Grid]:
    """Yield a table: how many with each value are exposed before and after."""
    if shown.values.empty:
        return
    after = ["n_certain"] if shown.answer["n_changed"] else []
    columns: list[parts.GridColumn] = [
        ("value", lambda row: value_label(row, place.voice)),
        *("n_members", "n_before:count", *after),
    ]
    yield place.grid(shown.values, columns, "caption_members", is_folded=True)


def given_away_text(
    rows: pd.DataFrame, answer: pd.Series, place: parts.Place
) -> Iterator[str]:
    """Yield what it gives away of each attribute that finer nodes failed."""
    # Of each attribute the node is told by which most records are certain, and then by
    # which most beliefs change.
    if not (answer["n_changed"] and bounds_of(answer).keys() & OF_SENSITIVE.keys()):
        return
    if rows.empty:
        yield place.say("choice_nothing")
    measured = rows[rows["is_measured"].isin([True, "true"])]
    for _, of_attribute in measured.groupby("sensitive", sort=False):
        order = ["n_certain_after", "n_moved", "posterior_prob_after"]
        yield _of_node(of_attribute.sort_values(order).iloc[-1], place)
    if len(measured) < len(rows):
        n = len(rows) - len(measured)
        yield place.say("choice_unmeasured", n=n, n_all=len(rows))


def _of_node(row: pd.Series, place: parts.Place) -> str:
    """Write what is known of an attribute before and after a node is known to fail."""
    if row["n_moved"] == 0 and row["n_certain_after"] == row["n_certain"]:
        return place.say("choice_little", row)
    key = "choice_change" if row["n_changed"] else "choice_as_it_is"
    n = row["n_records"]
    return place.say(
        "choice",
        row,
        node=place.say(key, change=change_text(row, place.voice)),
        certain_before=row["n_certain"] / n,
        certain=row["n_certain_after"] / n,
        moved=row["n_moved"] / n,
    )


_LARGE = 0.1
"""Share of the people, guessed right beyond those guessed without any fact, from which
it is told where the target does not bound it."""


def reply(
    shown: SearchShown, place: parts.Place, drawing: parts.Drawing
) -> parts.Reply:
    """Return what is changed, what it costs, and what it leaves: three sentences."""
    voice, row, who = place.voice, shown.answer, _adversary(place, shown)
    # Of a target that the program chose no verdict follows.
    kind = "_example" if place.analysis in place.facts.get("examples", ()) else ""
    said = [
        place.say(
            f"reply{kind}{'' if row['n_changed'] else '_none'}",
            change=change_text(row, voice),
            target=target_text(row, voice),
            figures=_figures(_bounded(row), shown, place),
            who=who,
        )
    ]
    if row["n_changed"]:
        said.append(_cost(shown, place))
    said += _unbounded(shown, place)
    files = {"witnesses": "reply_deciding", "exposed": "reply_by_value"}
    sources = (
        *place.sources("smallest_protection"),
        *(
            parts.Link(place.say(key), place.path(table))
            for table, key in files.items()
            if table in place.files
        ),
    )
    return parts.Reply("help", " ".join(said), f"#{place.anchor}", sources, drawing)


def _cost(shown: SearchShown, place: parts.Place) -> str:
    """Write which tables the smallest change costs, and the detail that it takes."""
    voice, row = place.voice, shown.answer
    left_out = left_out_of(row)
    named = place.facts.get("compared", {}).get(place.analysis, {})
    if named:
        shares = _changed_tables(row)
        lost = [name for name, of in named.items() if {*left_out} & {*of}]
        wrong = [
            place.say("table_changed", name=name, share=share)
            for name, share in shares.items()
            if name not in lost
        ]
    else:  # the usual ones: by each attribute, alone or with others
        lost = [voice.quoted([name]) for name in left_out]
        wrong = [voice.quoted([name]) for name in levels_of(row)]
    kind = "named" if named else "usual"
    told = [
        place.say(f"cost_{kind}_{key}", names=voice.listing(names))
        for key, names in (("lost", lost), ("wrong", wrong))
        if names
    ]
    tables = "; ".join(told) or place.say("cost_none")
    key = "cost" if kind_of_loss(row) == "information" else "costs"
    told_of = {"lost": said_lost(row, voice), "n_nodes": shown.n_nodes}
    return place.say(f"reply_{key}", row, tables=capital(tables), **told_of)


def _made(place: parts.Place, shown: SearchShown) -> str:
    """Return the name of a release of the study that has the change; empty if none."""
    row, levels = shown.answer, levels_by_qid(shown.nodes)
    wanted = {qid: levels[qid].index(level) for qid, level in levels_of(row).items()}
    made = place.facts.get("made", {}).get(place.analysis, {})
    names = [
        name
        for name, each in made.items()
        if {q for q in levels if q in each["dropped"]} == {*left_out_of(row)}
        and {q: n for q, n in each["levels"].items() if n and q in levels} == wanted
    ]
    return names[0] if names and row["n_changed"] else ""


def _adversary(place: parts.Place, shown: SearchShown) -> str:
    """Name who knows the QIDs, as the study file does if it does."""
    qids = {*tables.qids_of(shown.answer)}
    for who in place.facts.get("adversaries", ()):
        label = who["labels"].get(place.voice.language)
        if label and {*who["qids"]} == qids:
            return str(label)
    return place.voice.say("smallest_protection.members_who", shown.answer)


def _bounded(row: pd.Series) -> Iterable[str]:
    """Return the measures that the target bounds."""
    # It is who is unique where the adversary knows some of the facts, as tables have
    # the measures of all.
    return ["alone"] if is_of_some(row) else bounds_of(row)


def _figures(names: Iterable[str], shown: SearchShown, place: parts.Place) -> str:
    """Write measures, and what each was before."""
    return place.voice.listing(_figure(name, shown, place) for name in names)


def _figure(name: str, shown: SearchShown, place: parts.Place) -> str:
    """Write what a measure is, and in brackets what it was before."""
    voice, sensitive = place.voice, ""
    rows = shown.as_it_is, shown.answer
    if name in OF_SENSITIVE:
        after = shown.inferred[shown.inferred["is_answer"]]
        worst = after[OF_SENSITIVE[name][0]].astype(float)
        at = worst.idxmin() if name == "l" else worst.idxmax()
        sensitive = after.loc[at, "sensitive"]
        rows = shown.of_sensitive(sensitive)
    before, now = (_value(name, row) for row in rows)
    any_of = "_any" if is_of_some(shown.answer) else ""
    nobody = "_nobody" if not now and name in ("alone", "certain") else ""
    said = place.say(
        f"figure_{name}{any_of}{nobody}",
        value=_written(name, now, voice),
        sensitive=voice.attribute(sensitive),
    )
    if not shown.answer["n_changed"]:
        return said
    return place.say("figure_before", figure=said, before=_written(name, before, voice))


def _value(name: str, row: pd.Series) -> float:
    """Return what a target bounds of a node: a count of `k` and `l`, else a share."""
    smallest = {"k": ("smallest_block", False)}
    column, is_count = (OF_NODE | OF_SENSITIVE | smallest)[name]
    return float(row[column]) / (int(row["n_records"]) if is_count else 1)


def _written(name: str, value: float, voice: Voice) -> str:
    numbers = voice.numbers
    return numbers.count(value) if name in ("k", "l") else numbers.share(value)


def _unbounded(shown: SearchShown, place: parts.Place) -> Iterator[str]:
    """Yield a sentence on what is learnt of sensitive values after the change."""
    # Of how many who have a value it is certain; where values are not counted, that one
    # is guessed more often than without any fact, or of how many people one is certain.
    bounds, after = bounds_of(shown.answer), shown.inferred[shown.inferred["is_answer"]]
    if exposed := exposed_text(shown, place):
        is_bounded = bool({*OF_SENSITIVE} & {*bounds})
        yield f"{exposed}{'' if is_bounded else place.say('unbounded')}."
    elif not after.empty and "inferred" not in bounds:
        most = after.loc[after["n_certain"].astype(int).idxmax()]
        is_bounded = bool({"certain", "l"} & {*bounds})
        is_large = most["n_certain"] >= _LARGE * most["n_records"]
        if guessed := "" if is_large and not is_bounded else _guessed(shown, place):
            yield guessed
        elif not is_bounded:
            was, _ = shown.of_sensitive(most["sensitive"])
            certain, before = (
                int(r["n_certain"]) / r["n_records"] for r in (most, was)
            )
            yield place.say("unbounded_certain", most, certain=certain, before=before)


def _guessed(shown: SearchShown, place: parts.Place) -> str:
    """Write that a value is guessed right more often than without any fact, if so."""
    for _, row in shown.inferred[shown.inferred["is_answer"]].iterrows():
        prior = shown.prior(row["sensitive"])
        if prior is not None and row["posterior_prob"] - prior >= _LARGE:
            return place.say("unbounded_guessed", row, prior=prior)
    return ""


_MOST_TOLD = 3  # Single changes that are told in words


def _sentences(shown: SearchShown, place: parts.Place) -> Iterator[str]:
    row, figures = shown.answer, dict.fromkeys((*_bounded(shown.answer), "alone"))
    yield place.say(
        "bounded" if row["n_changed"] else "bounded_none",
        change=change_text(row, place.voice),
        target=target_text(row, place.voice),
        figures=_figures(figures, shown, place),
        who=_adversary(place, shown),
    )
    if made := _made(place, shown):
        yield place.say("reply_made", name=made)
    yield from _what_if(shown, place)
    if shown.has_tables and shown.answer["n_changed"]:
        yield _tables(shown.answer, "tables_answer", place)
    for _, row in shown.inferred[shown.inferred["is_answer"]].iterrows():
        yield place.say("inferred", row, certain=row["n_certain"] / row["n_records"])
        if shown.has_own_record:
            yield place.say("own_record", row)
    yield from _proof(shown, place)
    yield from given_away_text(shown.minimality, shown.answer, place)


def _what_if(shown: SearchShown, place: parts.Place) -> Iterator[str]:
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


def _proof(shown: SearchShown, place: parts.Place) -> Iterator[str]:
    counted = "_counted" if shown.n_counted == shown.n_nodes else ""
    any_of = "_any" if is_of_some(shown.answer) else ""
    counts = {"n_nodes": shown.n_nodes, "n_counted": shown.n_counted}
    yield place.say(f"proof{counted}{any_of}", shown.answer, **counts)
    if shown.has_own_record:
        n_itself = shown.n_by("held_itself", "failed_itself")
        yield place.say("proof_own", n_itself=n_itself)
    if n_dearer := shown.n_by("dearer"):
        yield place.say("proof_open", n_dearer=n_dearer)


def _caption(shown: SearchShown, _: str, place: parts.Place) -> str:
    counted = "" if shown.is_whole else "_counted"
    said = place.say(f"caption_frontier{counted}", shown.answer)
    some = is_of_some(shown.answer)
    return f"{said} {place.say('caption_any')}" if some else said


def _tables(row: pd.Series, key: str, place: parts.Place) -> str:
    changed = _changed_tables(row)
    if not changed:
        return place.say(f"{key}_none")
    said = (
        place.say("table_changed", name=n, share=each) for n, each in changed.items()
    )
    return place.say(key, tables=place.voice.listing(said))


def _changed_tables(row: pd.Series) -> dict[str, float]:
    """Return the share of the records that stand in wrong cells, by tabulation."""
    each = (told.rpartition(":") for told in row["tables_changed"].split("|") if told)
    return {name: float(share) for name, _, share in each}


def _grids(shown: SearchShown, place: parts.Place) -> Iterator[parts.Element]:
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
            parts.Passage("code", section),
            parts.Passage("paragraph", place.say("then_export", name=name)),
        )
        yield parts.Folded(place.say("to_apply"), body)


def _grid(
    rows: pd.DataFrame,
    caption: str,
    place: parts.Place,
    has_tables: bool = False,
    anchors: tuple[str, ...] = (),
) -> parts.Grid:
    voice = place.voice
    kind = kind_of_loss(rows.iloc[0]) if len(rows) else "information"

    def change(row: pd.Series) -> str:
        return change_text(row, voice) if row["n_changed"] else place.say("as_it_is")

    columns: list[parts.GridColumn] = [
        ("change", change),
        (kind, lambda row: loss_text(kind, row["loss"], voice.numbers)),
        *("share_alone:share", "posterior_prob", "smallest_block"),
        ("holds", lambda row: place.say(f"holds_{'yes' if row['holds'] else 'no'}")),
    ]
    if has_tables:
        columns.append(("tables", lambda row: ", ".join(_changed_tables(row))))
    key = f"caption_{caption}"
    return place.grid(rows, columns, key, is_folded=True, anchors=anchors)


SHOWN = EachAnalysis(
    "smallest_protection",
    tables=OF_SEARCH,
    found=lambda nodes, _, *others: shown_of(nodes, *others),
    heading=lambda shown, place: place.say(
        "heading" if shown.answer["n_changed"] else "heading_none"
    ),
    measured=lambda shown, place: (
        place.say("measured", shown.as_it_is),
        place.known(shown.as_it_is["qids"].split("|")),
    ),
    drawings=lambda _: {"frontier": draw_frontier},
    caption=_caption,
    releases=lambda shown: main_release(shown.nodes),
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("node", "loss", "proof"),
    replies=lambda shown, place: [
        reply(shown, place, place.drawing("frontier", _caption(shown, "", place)))
    ],
    script=SCRIPT,
)
