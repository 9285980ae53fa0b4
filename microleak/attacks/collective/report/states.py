"""States side by side: sentences, figures and the numbers behind them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.figures.state_trends import (
    leakage_by_year,
    median_losses,
    most_changed,
)
from microleak.attacks.collective.figures.states import NAMES, ranked
from microleak.attacks.collective.report.contents import (
    Facts,
    Measures,
    SideBySide,
    unit_words,
)
from microleak.attacks.collective.report.drawing import state_kinds, state_path
from microleak.attacks.collective.report.state_tables import (
    NamedGroup,
    fits_told,
    group_grid,
    group_sentence,
    groups_of,
    state_grids,
)
from microleak.report import parts
from microleak.report.drawn import figure_of
from microleak.report.texts import Voice, span

KickersTold = frozenset[tuple[str, str]]
"""Analyses, each with the kicker of a finding."""


@dataclass(frozen=True)
class States:
    """The states of one analysis and one sensitive attribute."""

    part: parts.Part  # Their part of the page
    told: KickersTold  # Findings of the analyses compared that it gives, for all


def states_parts(
    study: Facts, measures: Measures, figures: Mapping[str, str], voice: Voice
) -> Iterator[States]:
    """Yield what is said of the states of each analysis and sensitive attribute."""
    several = measures.side_by_side()
    compared = voice.say("page.download_comparison")
    for number, shown in enumerate(several):
        groups = groups_of(study, shown, several)
        unit = study.unit(shown.table)
        answer = tuple(filter(None, _answer(shown, groups, voice, unit)))
        anchor = f"{voice.language}-states-{quote(shown.analysis)}-{number}"
        told = {"sensitive": shown.sensitive, "year": shown.year}
        subject = voice.say("states.heading", told)
        *first, last = answer or ("",)
        link = parts.Line(last, f"#{anchor}", voice.say("states.link"))
        part = parts.Part(
            anchor=anchor,
            analysis=shown.analysis,
            kicker=subject,
            heading=_found(shown, voice),
            said=(parts.Said((*map(parts.Line, first), link), subject),),
            body=(
                parts.Sentences((*answer, *fits_told(shown, voice))),
                *(group_grid(shown, group, voice) for group in groups),
                *_drawn(shown, figures, voice),
            ),
            downloads=(
                ("data/states.csv", voice.say("states.download_states")),
                ("data/explained.csv", voice.say("states.download_explained")),
                *[("data/comparison.csv", compared)] * (len(measures.comparison) > 0),
            ),
            warning=voice.say("page.line_warning", table=shown.table)
            if unit == "record"
            else "",
            replies=tuple(_replies(shown, anchor, groups, unit, voice)),
        )
        yield States(part, _told(shown, groups, voice))


def _replies(
    shown: SideBySide,
    anchor: str,
    groups: Sequence[NamedGroup],
    unit: str,
    voice: Voice,
) -> Iterator[parts.Reply]:
    """Yield what is learnt, what changed over the years, and what would help most."""
    best, numbers = ranked(shown.rows), voice.numbers
    known = voice.number_known(best["qids"].iloc[0])
    part = parts.Link(voice.say("states.link"), f"#{anchor}")
    equation = parts.definition_anchor("leakage", voice)
    sources = (
        part,
        parts.Link(voice.say("answer.equation"), f"#{equation}"),
        parts.Link(voice.say("answer.file"), "data/states.csv"),
    )
    told = {"sensitive": shown.sensitive, "attributes": known}
    text = voice.say(
        "states.reply_learn",
        told,
        prior=_span(best["prior_prob"], numbers.share, voice),
        posterior=_span(best["posterior_prob"], numbers.share, voice),
        **unit_words(unit, voice),
    )
    # Of several groups the first screen tells of the first.
    of_group = (group_sentence(shown, group, voice) for group in groups[:1])
    text = " ".join(filter(None, [text, *of_group]))
    title = voice.say("states.reply_learn_title", told)
    bars = parts.Bars(title, tuple(_bars(best, known, voice)))
    # Of all states, so that it stands whichever release tells who is found.
    yield parts.Reply("learn", text, part.href, sources, bars, rank=parts.OF_ALL)
    if shown.has_years:
        yield parts.Reply("change", _changed(shown, known, voice), part.href, sources)
    if shown.importance:
        losses = median_losses(shown.importance)
        first = voice.attribute(losses.index[0])
        text = voice.say("states.reply_help", first=first, loss=losses.iloc[0])
        yield parts.Reply("help", text, part.href, sources[:2], rank=1)
    text = voice.say(
        "states.reply_sure",
        n_records=int(best["n_records"].sum()),
        n_states=len(best),
        year=shown.year,
    )
    yield parts.Reply("sure", text, part.href, (parts.limits_link(voice),))


def _bars(best: pd.DataFrame, known: str, voice: Voice) -> Iterator[parts.ShareBar]:
    """Yield the highest and the lowest state's success, without and with facts."""
    posterior = best["posterior_prob"].astype("float64")
    for state in dict.fromkeys((posterior.idxmax(), posterior.idxmin())):
        for kind, facts in (
            ("prior_prob", voice.say("states.reply_nothing")),
            ("posterior_prob", known),
        ):
            share = float(best.loc[state, kind])
            label = f"{NAMES[state]}, {facts}"
            yield parts.ShareBar(label, share, voice.numbers.share(share))


def _changed(shown: SideBySide, known: str, voice: Voice) -> str:
    """Write which state changed most, and where its years are not whole or end."""
    values = most_changed(leakage_by_year(shown.years))
    state = str(values.name)
    first_year, last_year = (
        _year(shown, state, str(values.index[end]), voice) for end in (0, -1)
    )
    said = voice.say(
        "states.reply_change",
        state=NAMES[state],
        attributes=known,
        first_year=first_year,
        last_year=last_year,
        first=float(values.iloc[0]),
        last=float(values.iloc[-1]),
    )
    is_newest = values.index[-1] == shown.year
    return said if is_newest else f"{said} {voice.say('states.stops')}"


def _year(shown: SideBySide, state: str, year: str, voice: Voice) -> str:
    """Write a year and, of one that ends before December, its last month."""
    rows = shown.years
    release = rows["release"][(rows["state"] == state) & (rows["year"] == year)].iloc[0]
    if release not in shown.months:
        return year
    return voice.say("states.until", year=year, n_months=shown.months[release])


_MOST_GAPS = 4


def _gaps(shown: SideBySide, voice: Voice) -> str:
    """Name states that lack some of the years; nothing where none does."""
    every = sorted(shown.years["year"].unique())
    gaps = []
    for state, years in shown.years.groupby("state")["year"].unique().items():
        absent = [year for year in every if year not in years]
        if absent and shown.has_years:
            is_short = len(years) <= len(absent)
            kind, told = ("only", years) if is_short else ("without", absent)
            listing = voice.listing(map(str, told))
            gap = voice.say(f"states.gap_{kind}", state=NAMES[state], years=listing)
            gaps.append(gap)
    if not gaps:
        return ""
    if n_more := len(gaps[_MOST_GAPS:]):
        more = voice.say("page.about_more", n=voice.numbers.count(n_more))
        gaps[_MOST_GAPS:] = [more]
    return voice.say("states.gaps", states="; ".join(gaps))


def _drawn(
    shown: SideBySide, figures: Mapping[str, str], voice: Voice
) -> Iterator[parts.Element]:
    """Yield each figure with what stands before and behind it."""
    largest = {"n_qids": int(shown.rows["n_qids"].max())}
    grids = state_grids(shown, voice)
    for kind in state_kinds(shown):
        if kind in _HEADINGS:
            yield parts.Passage("subheading", voice.say(_HEADINGS[kind]))
        svg = figure_of(figures, state_path(shown, kind, voice.language))
        yield parts.Drawing(svg, voice.say(f"states.figure_{kind}", largest))
        behind = grids.get(kind, ())
        if kind in _FOLDED:
            yield parts.Folded(voice.say(_FOLDED[kind]), behind)
        else:
            yield from behind
        if kind in _NOTES:
            yield parts.Passage("note", voice.say(_NOTES[kind]))


_HEADINGS = {
    **{kind: f"states.heading_{kind}" for kind in ("heat", "posteriors", "years")},
    "importance": "importance.heading",
    "explained": "states.heading_explained",
}
_FOLDED = {
    "heat": "page.details_success",
    "posteriors": "states.details_above",
    "years": "page.details_success",
    "importance": "page.details_success",
}
_NOTES = {"importance": "importance.note_paper", "explained": "states.note_explained"}
"""What stands above a figure, on the fold with its numbers, and below these."""


def _told(shown: SideBySide, groups: Sequence[NamedGroup], voice: Voice) -> KickersTold:
    kickers = [voice.say("groups.kicker", group=name) for name, _ in groups]
    return frozenset(
        product(shown.parts.values(), [voice.subject(shown.sensitive), *kickers])
    )


def _answer(
    shown: SideBySide, groups: Sequence[NamedGroup], voice: Voice, unit: str
) -> Iterator[str]:
    """Yield the sentences; one that has nothing to say is empty."""
    best = ranked(shown.rows)
    yield _before(shown, best, voice, unit)
    yield _after(best, voice)
    yield _above(best, voice, unit)
    for group in groups:
        yield group_sentence(shown, group, voice)
    yield _gaps(shown, voice)


def _found(shown: SideBySide, voice: Voice) -> str:
    """Write what knowing all facts adds to the guess, where least and where most."""
    best = ranked(shown.rows)
    return voice.say(
        "states.found",
        attributes=voice.number_known(best["qids"].iloc[0]),
        leakage=_span(best["additive_leakage"], voice.numbers.points, voice),
        sensitive=shown.sensitive,
    )


def _before(shown: SideBySide, best: pd.DataFrame, voice: Voice, unit: str) -> str:
    return voice.say(
        "states.before",
        n_states=len(best),
        year=shown.year,
        sensitive=shown.sensitive,
        prior=_span(best["prior_prob"], voice.numbers.share, voice),
        **unit_words(unit, voice),
    )


def _after(best: pd.DataFrame, voice: Voice) -> str:
    kind = "all" if best["qids"].nunique() == 1 else "worst"
    return voice.say(
        f"states.after_{kind}",
        best.iloc[0],
        posterior=_span(best["posterior_prob"], voice.numbers.share, voice),
        leakage=_span(best["additive_leakage"], voice.numbers.points, voice),
    )


def _above(best: pd.DataFrame, voice: Voice, unit: str) -> str:
    """Write how many records are at high risk where most are, if any is."""
    known = best.loc[best["n_above_90"] > 0, "share_above_90"].astype(float)
    if known.empty:
        return ""
    state = known.idxmax()
    told = {"state": NAMES[state], "share": known[state], **unit_words(unit, voice)}
    return voice.say("states.above", told)


def _span(values: pd.Series, write: Callable[[float], str], voice: Voice) -> str:
    """Write the lowest and the highest of the states' values, with their names."""
    by_name = values.astype("float64").rename(index=NAMES)
    return span(by_name, lambda name: write(by_name[name]), voice)
