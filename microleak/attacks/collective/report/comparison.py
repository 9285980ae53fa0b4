"""Successive releases side by side, and protections beside what they are made of."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.figures.success import worst_pairs
from microleak.attacks.collective.report.contents import (
    Facts,
    Measures,
    marked,
    unit_words,
)
from microleak.attacks.collective.report.drawing import comparison_path
from microleak.attacks.collective.report.findings import attack_kind
from microleak.report import parts
from microleak.report.drawn import figure_of
from microleak.report.face_value import Drawn, concerned, remark
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def comparison_parts(
    study: Facts, measures: Measures, figures: Mapping[str, str], voice: Voice
) -> Iterator[parts.Part]:
    """Yield a part for each table that has releases to compare."""
    compared = measures.compared()
    for table in [] if compared.empty else compared["table"].unique():
        figure = figure_of(figures, comparison_path(table, voice.language))
        rows = compared[compared["table"] == table]
        yield _part(study, rows, measures, figure, voice)


def _part(
    study: Facts, rows: pd.DataFrame, measures: Measures, figure: str, voice: Voice
) -> parts.Part:
    table = rows["table"].iloc[0]
    releases = study.releases[table]
    told = list(_told(rows, releases, voice, study.unit(table)))
    sentences = tuple(
        voice.say(f"comparison.{attack_kind(words)}", words) for words in told
    )
    heading = voice.say("page.comparison_heading", table=table)
    anchor = f"{voice.language}-comparison-{quote(table)}"
    line = parts.Line(sentences[0], f"#{anchor}", heading)
    row = parts.Link(voice.say("answer.row"), f"#{anchor}")
    file = parts.Link(voice.say("answer.file"), "data/comparison.csv")
    changed = [voice.say("replies.change", told[0]), *_alone(told[0], measures, voice)]
    return parts.Part(
        anchor=anchor,
        analysis=table,
        kicker="",
        heading=heading,
        said=(parts.Said((line,), voice.say("page.comparison_label")),),
        body=(
            parts.Sentences(sentences),
            parts.Drawing(figure, voice.say("page.caption_comparison")),
            parts.SearchBox(),
            *_grids(rows, releases, voice),
        ),
        downloads=((file.href, voice.say("page.download_comparison")),),
        replies=(parts.Reply("change", " ".join(changed), f"#{anchor}", (row, file)),),
    )


def _alone(words: Mapping[str, Any], measures: Measures, voice: Voice) -> Iterator[str]:
    """Yield what only one of two releases was attacked with, and what that finds."""
    every = pd.concat([*map(tables.with_text, measures.collective.values())])
    own = every[every["table"].eq(words["table"]) & every["auxiliary"].eq("")]
    own = own[own["sensitive"] == words["sensitive"]]
    earlier, later = (own[own["focal"] == words[name]] for name in ("earlier", "later"))
    for rows, others in ((earlier, later), (later, earlier)):
        known = {*tables.all_qids(others)}
        if alone := [name for name in tables.all_qids(rows) if name not in known]:
            row = rows.iloc[rows["posterior_det"].argmax()]
            yield voice.say(
                "replies.change_alone", row, names=alone, release=row["focal"]
            )


def _grids(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice
) -> Iterator[parts.Element]:
    """Yield the tables with the last release, and the others folded."""
    pairs = list(_pairs(rows, releases, voice))
    *_, (last, _) = pairs
    yield from (grid for later, grid in pairs if later == last)
    yield parts.Passage("note", voice.say("page.comparison_note"))
    if older := tuple(grid for later, grid in pairs if later != last):
        yield parts.Folded(voice.say("page.details_comparison"), older)


def _pairs(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice
) -> Iterator[tuple[str, parts.Grid]]:
    """Yield the tables with their later release, those with the last one last."""
    chosen = pd.concat(
        worst_pairs(part, releases) for part in tables.by_subject(rows).values()
    )
    chosen["place"] = chosen["later"].map(list(releases).index)
    by_pair = chosen.groupby(["place", "earlier", "later", "sensitive"], sort=False)
    found = [(place, key, pair) for (place, *key), pair in by_pair]
    for _, (earlier, later, sensitive), pair in sorted(found, key=lambda row: row[0]):
        change = voice.say("page.column_change")
        yield (
            later,
            parts.Grid(
                caption=f"{voice.subject(sensitive)}, {earlier} → {later}",
                headings=(
                    *voice.columns("page", "n_qids", "qids"),
                    *(earlier, later, change) * 2,
                ),
                rows=tuple(
                    (
                        voice.numbers.count(row["n_qids"]),
                        parts.Names.of(tables.qids_of(row), voice),
                        *_shares(row, voice).values(),
                    )
                    for _, row in pair.sort_values("n_qids").iterrows()
                ),
                n_texts=2,
                over=_over(3, voice),
            ),
        )


def _shares(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write the shares of a row and their differences, in the order of the table."""
    told = {}
    for name in ("det", "prob"):
        told[f"earlier_{name}"], told[f"later_{name}"] = voice.numbers.two_shares(
            row[f"posterior_{name}_earlier"], row[f"posterior_{name}_later"]
        )
        told[f"difference_{name}"] = voice.numbers.change(row[f"difference_{name}"])
    return told


def _told(
    rows: pd.DataFrame, releases: Sequence[str], voice: Voice, unit: str
) -> Iterator[dict[str, Any]]:
    """Yield each subject with the words of its largest subset on the last releases."""
    for part in tables.by_subject(rows).values():
        chosen = worst_pairs(part, releases)
        place = chosen["later"].map(list(releases).index)
        row = chosen[place == place.max()].sort_values("n_qids").iloc[-1]
        yield _words_of(row, voice, unit)


def _words_of(row: pd.Series, voice: Voice, unit: str) -> dict[str, Any]:
    shares = _shares(row, voice)
    for name in ("difference_det", "difference_prob"):
        shares[name] = voice.points(shares[name], row[name])
    return {**row, **shares, **unit_words(unit, voice)}


def split_parts(study: Facts, measures: Measures, voice: Voice) -> Iterator[parts.Part]:
    """Yield a part for each file that several took the place of."""
    for whole, only in study.splits.items():
        every = {n: _found_alone(measures, n, study) for n in (whole, *only)}
        rows = {n: tables.with_most_qids(e).iloc[0] for n, e in every.items()}
        alone = (
            voice.say("replies.split_alone", rows[name], names=names)
            for name, names in only.items()
            if names
        )
        told = (_found_in(rows[name], every[whole], voice) for name in only)
        said = voice.say(
            "replies.split",
            rows[whole],
            n_files=len(only),
            alone="; ".join(alone),
            found=voice.listing(told),
            **unit_words(study.unit(rows[whole]["table"]), voice),
        )
        given = (measures.collective[name] for name in every)
        drawn = [_drawn(each.assign(later=each["focal"]), measures) for each in given]
        told_of = (said, *marked(chain(*drawn), voice))
        # What a study file names is preferred to what can be compared.
        rank = -1 if len(told_of) == 1 else 1
        anchor = f"{voice.language}-split-{quote(whole)}"
        columns = ("release=focal", "qids:names", "certain_reid=posterior_det:share")
        caption = voice.say("page.split_caption")
        shown = pd.DataFrame([*rows.values()])
        grid = parts.grid(voice, "scenarios", shown, columns, caption=caption)
        row = parts.Link(voice.say("answer.row"), f"#{anchor}")
        yield parts.Part(
            anchor=anchor,
            analysis=whole,
            kicker="",
            heading=voice.say("page.split_heading", rows[whole]),
            body=(parts.Sentences(told_of), grid),
            replies=(
                parts.Reply(
                    "change", " ".join(told_of), f"#{anchor}", (row,), rank=rank
                ),
            ),
        )


def _found_alone(measures: Measures, analysis: str, study: Facts) -> pd.DataFrame:
    """Return who is found in one release, which has its name before it knew units."""
    rows = tables.with_text(measures.collective[analysis])
    own = rows[(rows["sensitive"] == "") & (rows["auxiliary"] == "")]
    first = own.iloc[0]
    return own.assign(focal=study.before_units(first["table"], first["focal"]))


def _found_in(row: pd.Series, of_whole: pd.DataFrame, voice: Voice) -> str:
    """Write who is found in a file, and by the same facts in the one before it."""
    same = of_whole[tables.qid_sets(of_whole) == frozenset(tables.qids_of(row))]
    if same.empty:
        return voice.say("replies.split_found", row)
    first = same.iloc[0]
    told = {"same": first["posterior_det"], "whole": first["focal"]}
    return voice.say("replies.split_found_same", row, **told)


def protected_parts(
    study: Facts, measures: Measures, protections: pd.DataFrame, voice: Voice
) -> Iterator[parts.Part]:
    """Yield a part for each table that has protections to compare."""
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
        unit = study.unit(table)
        lines = []
        # Of re-identification, or else of the first attribute that is inferred.
        for place, row in shown.drop_duplicates(["earlier", "later"]).iterrows():
            words = _words_of(row, voice, unit)
            said = voice.say(f"comparison.{attack_kind(row)}", words)
            said = f"{said} {remark(drawn[place], voice)}".strip()
            lines.append(parts.Line(said, f"#{anchor}", row["later"]))
        pairs = _changed(shown, drawn, measures, protections)
        changed = (_found(*each, unit, voice) for each in pairs)
        yield parts.Part(
            anchor=anchor,
            analysis=table,
            kicker="",
            heading=heading,
            said=(parts.Said(tuple(lines), voice.say("page.protected_label")),),
            body=(
                parts.Sentences(
                    (voice.say("page.protected_note"), *marked(anew, voice))
                ),
                _grid(shown, drawn, voice),
            ),
            downloads=(("data/comparison.csv", voice.say("page.download_comparison")),),
            replies=(
                parts.Reply(
                    "change",
                    " ".join((voice.say("replies.change_protected"), *changed)),
                    f"#{anchor}",
                    (parts.Link(heading, f"#{anchor}"),),
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
    """Yield the attack before and after the first protections that draw nothing."""
    own = shown[[not drawn[place] for place in shown.index]]
    pairs = own.drop_duplicates(["earlier", "later"])
    attacks = tables.with_text(
        pd.concat([*measures.collective.values()], ignore_index=True)
    )
    is_found = (attacks["sensitive"] == "") & (attacks["auxiliary"] == "")
    dropped = {
        (row["table"], str(row["release"]), row["attribute"])
        for _, row in protections.iterrows()
        if "drop" in row["methods"].split("|")
    }
    for _, pair in pairs.head(_MOST_CHANGED).iterrows():
        table, later = pair["table"], pair["later"]
        of_table = attacks[is_found & (attacks["table"] == table)]
        after = of_table[of_table["focal"].astype(str) == later]
        before = of_table[of_table["focal"].astype(str) == pair["earlier"]]
        row = after.loc[after["n_qids"].idxmax()]
        left = frozenset(tables.qids_of(row))
        # Who knows what is left and what it drops or, if that was not measured, less.
        every = left | {name for *of, name in dropped if of == [table, later]}
        names = tables.qid_sets(before)
        for known in (before[names == every], before[names == left]):
            if len(known):
                yield known.iloc[0], row
                break


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
    subjects = tables.by_subject(rows).values()
    return pd.concat([_with_most_shared(each) for each in subjects]).sort_index()


def _with_most_shared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the largest set of QIDs that all share, or else of each."""
    names = tables.qid_sets(rows)
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


def _grid(
    shown: pd.DataFrame, drawn: Mapping[Hashable, Sequence[Drawn]], voice: Voice
) -> parts.Grid:
    """Lay out each attack before and after each protection."""
    mark = voice.say("face_value.mark")
    return parts.Grid(
        caption=voice.say("page.protected_caption"),
        headings=(
            *voice.columns("page", "protected", "sensitive", "qids"),
            *voice.columns("page", "before", "after") * 2,
        ),
        rows=tuple(
            (
                f"{row['earlier']} → {row['later']}",
                voice.subject(row["sensitive"]),
                parts.Names.of(
                    tables.qids_of(row), voice, *([mark] if drawn[place] else [])
                ),
                *(_shares(row, voice)[name] for name in _BEFORE_AND_AFTER),
            )
            for place, row in shown.iterrows()
        ),
        n_texts=3,
        over=_over(2, voice),
    )


_BEFORE_AND_AFTER = ("earlier_det", "later_det", "earlier_prob", "later_prob")


def _over(n_columns: int, voice: Voice) -> tuple[tuple[str, int], ...]:
    """Return what stands above the columns of both successes."""
    names = ("posterior_det", "posterior_prob")
    return tuple((text, n_columns) for text in voice.columns("page", *names))
