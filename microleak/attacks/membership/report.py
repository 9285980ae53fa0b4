"""What a sample gives away about who is in it: a part of the page an analysis."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain

import pandas as pd

from microleak.attacks.membership import report_drawn
from microleak.attacks.membership.figures import (
    class_text,
    presence_bars,
    presence_by_size,
    unique_bars,
)
from microleak.attacks.membership.rows import (
    DIFFERING,
    FURTHER,
    PERSONS_OF,
    MembershipRows,
    PersonClass,
    membership,
)
from microleak.figures.numbers import Words
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import (
    Bars,
    Drawing,
    Grid,
    Link,
    Part,
    Place,
    Reply,
    Sentences,
    ShareBar,
    TablesByKind,
)
from microleak.report.texts import Voice, four_digits
from microleak.tables import rows as tables
from microleak.tables.spec import tables_of

_TABLE = tables_of("microleak.attacks.membership")["membership"]
_BETWEEN = [name for name in _TABLE.saying("none") if not name.endswith("qids")]

KINDS: dict[str, Callable[[MembershipRows, Words], str]] = {
    "chance": presence_by_size,
    "persons": presence_bars,
    "uniques": unique_bars,
}
"""Figures of an analysis, in the order of the page."""


def memberships(families: TablesByKind) -> Iterator[tuple[str, MembershipRows]]:
    """Yield the tables of each membership analysis, with its name."""
    for name, measures in families.get("membership", {}).items():
        presence, uniques = (families[kind][name] for kind in ("presence", "uniques"))
        asked = (kind for kind in FURTHER if name in families.get(kind, {}))
        further = {kind: families[kind][name] for kind in asked}
        yield name, membership(measures, presence, uniques, further)


def membership_figures(
    name: str, shown: MembershipRows, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one membership analysis.

    They are of two releases, of which a twin may have made either.
    """
    row = shown.measures.iloc[0]
    releases = {(row[of], row[f"{of}_release"]) for of in ("population", "sample")}
    is_synthetic = not releases.isdisjoint(synthetic)
    for kind, draw in KINDS.items():
        yield Undrawn(("membership", name, kind), partial(draw, shown), is_synthetic)


_SHARES = ("prior", "posterior_person", "bayes_prior", "bayes_posterior")
_ROUGH_SHARES = (
    *("posterior_person", "posterior_person_exact", "certain", "certain_exact"),
    "claimed",
)
_MOST_BARS = 5
_RATIOS = (
    *("degradation_printed", "degradation_partition", "degradation_person"),
    "bayes_degradation",
)


def measured(shown: MembershipRows, voice: Voice) -> tuple[str, ...]:
    """Say which sample was compared with which population, and by what."""
    rows = shown.measures
    combinations = voice.combinations(len(rows), int(rows["n_qids"].max()))
    names = voice.listing(map(voice.explained, tables.all_qids(rows)))
    return (
        _say("measured", rows.iloc[0], voice, combinations=combinations),
        voice.say("page.measured_known", names=names),
    )


def heading(shown: MembershipRows, voice: Voice) -> str:
    """Say of how many participation is certain, or else with what chance one is found.

    It is certain of everybody in a block that was sampled whole, d = n, which those
    who are alone in both tables are part of. That is said of a sample only that is
    known to be part of its population.
    """
    row = shown.told
    certain = _certain(shown, voice)
    if not certain:
        return _say("heading_chance", row, voice)
    if shown.refuting is None:
        return _say("heading_certain", row, voice, certain=certain)
    return _say(
        "heading_if",
        row,
        voice,
        certain=certain,
        condition=certainty(shown, voice),
        why=_why(shown.refuting, row, voice),
    )


def certainty(shown: MembershipRows, voice: Voice) -> str:
    """Say whether a chance of 1 makes presence certain, or under which condition."""
    state = "whole" if shown.refuting is None else "if"
    return voice.say(f"membership.certain_{state}")


def sentences(shown: MembershipRows, voice: Voice) -> Iterator[str]:
    """Yield the further findings."""
    row, half = shown.told, shown.half
    if _certain(shown, voice):
        yield _say("chance", row, voice)
    if half["n_qids"] < row["n_qids"]:
        yield _say("half", half, voice)
    if shown.refuting is not None:
        yield _differing(shown.refuting, row, voice)
    who = "certain" if shown.refuting is None else "alone"
    yield _say(f"unique_{who}", row, voice)
    yield _say("bayes", row, voice)
    yield from _roughly(shown, voice)
    yield from report_drawn.sentences(shown, voice)
    yield _say("names", row, voice)


def _roughly(shown: MembershipRows, voice: Voice) -> Iterator[str]:
    """Yield what is left of it to somebody who knows facts only roughly."""
    rows = shown.worst_roughly
    rows = rows[rows["roughly"] != ""]
    if rows.empty:
        return
    row = rows.loc[rows["posterior_person_exact"].idxmax()]
    said = {name: voice.numbers.share(row[name]) for name in _ROUGH_SHARES}
    rough = voice.listing(map(voice.attribute, row["roughly"].split("|")))
    known = {"attributes": voice.number_known(tables.qids_of(row)), "rough": rough}
    yield voice.say("membership.roughly", **said, **known)
    if row["claimed"]:
        hold = voice.numbers.share(row["claims_that_hold"])
        yield voice.say("membership.claims", claimed=said["claimed"], hold=hold)


def _differing(row: pd.Series, told: pd.Series, voice: Voice) -> str:
    """Say by how much a sample differs from its population, by one row."""
    said = _say("differing", row, voice)
    if row["qids"] == told["qids"]:
        return said
    return _say("differing_by", row, voice, said=said)


def _why(row: pd.Series, told: pd.Series, voice: Voice) -> str:
    """Say by what number of a row a sample is not known to be of its population."""
    why = next(name for name in DIFFERING if row[name] > 0)
    said = _say(f"why_{why}", row, voice)
    if row["qids"] == told["qids"]:
        return said
    return _say("why_by", row, voice, said=said)


def _certain(shown: MembershipRows, voice: Voice) -> str:
    """Write how many of the sample are in blocks that were sampled whole, if any."""
    *_, whole = shown.persons(shown.told, "sample")
    if not whole.n_records:
        return ""
    count = voice.numbers.count(whole.n_records)
    return voice.say(
        "membership.count_share", count=count, share=voice.numbers.share(whole.share)
    )


def _say(key: str, row: pd.Series, voice: Voice, **more: str) -> str:
    """Return a phrase about one row, whose placeholders are columns for the most."""
    numbers = voice.numbers
    return voice.say(
        f"membership.{key}",
        **{column: row[column] for column in _BETWEEN},
        **{column: numbers.count(row[column]) for column in _TABLE.saying("count")},
        **{column: numbers.share(row[column]) for column in _SHARES},
        **{column: four_digits(row[column], voice) for column in _RATIOS},
        people=_people(row["n_sample"], voice),
        facts=voice.facts(tables.qids_of(row)),
        attributes=voice.number_known(tables.qids_of(row)),
        qids=voice.known(tables.qids_of(row)),
        **more,
    )


def _people(number: float, voice: Voice) -> str:
    """Write a number of people, as in `1 person`, or as in `4 people`."""
    key = f"membership.people_{'one' if number == 1 else 'many'}"
    return voice.say(key, n=voice.numbers.count(number))


_DEGRADATIONS = {
    "printed": "degradation_printed",
    "partition": "degradation_partition",
    "person": "degradation_person",
    "bayes_row": "bayes_degradation",
}

_COUNTED = {
    "unique": "n_sample_unique",
    "found": "n_found",
    "both": "n_unique_both",
    "not_found": "n_not_found",
    "excess": "n_blocks_in_excess",
}


def worst_grid(shown: MembershipRows, place: Place) -> Grid:
    """Lay out the chances with the worst subset of each size, and where one is."""
    voice, first = place.voice, shown.worst.iloc[0]
    return Grid(
        caption=voice.say(
            "membership.worst_caption",
            prior=voice.numbers.share(first["prior"]),
            bayes_prior=voice.numbers.share(first["bayes_prior"]),
        ),
        headings=(
            *voice.columns("page", "n", "qids"),
            *voice.columns("membership", "chance"),
            *voice.columns("page", "leakage"),
            *voice.columns("membership", "degradation", "both", "bayes"),
        ),
        rows=tuple(
            (*_subset(row, voice), *_chances(row, voice))
            for _, row in shown.worst.iterrows()
        ),
        n_texts=2,
        anchors=tuple(
            f"{place.anchor}-row" if qids == shown.told["qids"] else ""
            for qids in shown.worst["qids"]
        ),
    )


def counts_grid(shown: MembershipRows, voice: Voice) -> Grid:
    """Lay out the counts of the worst subset of each size."""
    return Grid(
        caption=voice.say("membership.counts_caption"),
        headings=(
            *voice.columns("page", "n", "qids"),
            *voice.columns("membership", *_COUNTED),
        ),
        rows=tuple(
            (
                *_subset(row, voice),
                *(voice.numbers.count(row[column]) for column in _COUNTED.values()),
            )
            for _, row in shown.worst.iterrows()
        ),
        n_texts=2,
        is_folded=True,
    )


def _subset(row: pd.Series, voice: Voice) -> tuple[str, str]:
    return voice.numbers.count(row["n_qids"]), ", ".join(tables.qids_of(row))


def _chances(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        numbers.share(row["posterior_person"]),
        numbers.change(row["additive_leakage_person"]),
        numbers.ratio(row["degradation_person"]),
        numbers.count(row["n_unique_both"]),
        numbers.share(row["bayes_posterior"]),
    )


def rough_grids(shown: MembershipRows, voice: Voice) -> Iterator[Grid]:
    """Lay out what is known roughly of the worst subset of each size, if anything."""
    rows, share = shown.worst_roughly, voice.numbers.share
    if rows.empty:
        return
    columns = (*_ROUGH_SHARES[:4], "claims_that_hold")
    yield Grid(
        caption=voice.say("membership.rough_caption"),
        headings=(
            *voice.columns("page", "n", "qids"),
            *voice.columns("membership", *(f"rough_{name}" for name in columns)),
        ),
        rows=tuple(
            (
                *_subset(row, voice),
                *("" if pd.isna(row[name]) else share(row[name]) for name in columns),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=2,
    )


def degradation_grid(shown: MembershipRows, voice: Voice) -> Grid:
    """Lay out the four expected degradations, each with what it divides."""
    row = shown.told
    columns = ("column_name", "column_definition", "column_value")
    texts = voice.texts["membership"]
    return Grid(
        caption=voice.say(
            "membership.degradation_caption",
            attributes=voice.number_known(tables.qids_of(row)),
            qids=voice.known(tables.qids_of(row)),
        ),
        headings=tuple(texts[column] for column in columns),
        rows=tuple(
            (texts[key]["term"], texts[key]["text"], voice.numbers.ratio(row[column]))
            for key, column in _DEGRADATIONS.items()
        ),
        n_texts=2,
    )


def persons_grid(shown: MembershipRows, voice: Voice) -> Grid:
    """Lay out how many persons of either table have which chance."""
    row = shown.told
    columns = ("of_sample", "share", "of_population", "share")
    classes = [shown.persons(row, name) for name in PERSONS_OF]

    def written(part: PersonClass) -> tuple[str, str]:
        return voice.numbers.count(part.n_records), voice.numbers.share(part.share)

    return Grid(
        caption=_caption("persons", row, voice),
        headings=(
            voice.say("figure.presence_chance"),
            *voice.columns("membership", *columns),
        ),
        rows=tuple(
            (
                _chance_cell(of_both[0], voice),
                *chain.from_iterable(map(written, of_both)),
            )
            for of_both in zip(*classes, strict=True)
        ),
        is_folded=True,
    )


def _chance_cell(part: PersonClass, voice: Voice) -> str:
    low = f"{voice.numbers.count(part.lower)}%"
    if part.upper is None:
        return voice.say("page.bin_certain", share=low)
    return voice.say("page.bin", low=low, high=f"{voice.numbers.count(part.upper)}%")


def uniques_grid(shown: MembershipRows, voice: Voice) -> Grid:
    """Lay out how many persons alone in the sample fit how many of the population."""
    row = shown.told
    words = voice.words(is_synthetic=False)
    return Grid(
        caption=_caption("uniques", row, voice),
        headings=voice.columns("membership", "fitting", "unique_persons"),
        rows=tuple(
            (class_text(part, words), voice.numbers.count(part.n_sample_unique))
            for part in shown.fitting(row)
        ),
        is_folded=True,
    )


def _caption(kind: str, row: pd.Series, voice: Voice) -> str:
    attributes = voice.attributes(int(row["n_qids"]))
    return voice.say(f"membership.{kind}_caption", attributes=attributes)


def membership_part(shown: MembershipRows, place: Place) -> Part:
    """Return the part of one membership analysis."""
    voice = place.voice
    return place.part(
        heading=heading(shown, voice),
        measured=measured(shown, voice),
        body=(
            Sentences(tuple(sentences(shown, voice))),
            *_drawings(shown, place),
            worst_grid(shown, place),
            *rough_grids(shown, voice),
            *report_drawn.grids(shown, voice),
            degradation_grid(shown, voice),
            counts_grid(shown, voice),
            persons_grid(shown, voice),
            uniques_grid(shown, voice),
        ),
        downloads=place.downloads(
            *("membership", "presence", "uniques"),
            *(kind for kind, rows in shown.further.items() if not rows.empty),
        ),
        warning=voice.say("membership.warning"),
        replies=tuple(_replies(shown, place)),
    )


def _replies(shown: MembershipRows, place: Place) -> Iterator[Reply]:
    """Yield who is found in the sample, what they answered, and how sure that is."""
    voice, row, href = place.voice, shown.told, f"#{place.anchor}"
    equation = Link(voice.say("answer.equation"), f"{href}-definitions")

    def sources(table: str) -> tuple[Link, ...]:
        path, _ = place.download(table, "")
        return equation, Link(voice.say("answer.file"), path)

    found = f"{heading(shown, voice)}."
    if _certain(shown, voice):
        found += " " + _say("reply_prior", row, voice)
    yield Reply(
        "find",
        found,
        href,
        (Link(voice.say("answer.row"), f"{href}-row"), *sources("membership")),
        Bars(voice.say("membership.bars"), tuple(_bars(shown, voice))),
    )
    for answer in report_drawn.answers(shown, voice):
        yield Reply("learn", answer, href, sources("answers"))
    limits = voice.say("glossary_page.limits_heading")
    link = Link(limits, f"#{voice.language}-limits")
    yield Reply("sure", voice.say("membership.reply_sure"), href, (link,))


def _bars(shown: MembershipRows, voice: Voice) -> Iterator[ShareBar]:
    """Yield the chance without any fact, and with the worst of up to five sizes."""
    prior = shown.told["prior"]
    yield ShareBar(voice.say("membership.bar_prior"), prior, voice.numbers.share(prior))
    worst = shown.worst[::-1]
    for _, row in worst[:: -(-len(worst) // _MOST_BARS)][::-1].iterrows():
        chance = row["posterior_person"]
        label = voice.attributes(int(row["n_qids"]))
        yield ShareBar(label, chance, voice.numbers.share(chance))


def membership_words(shown: MembershipRows) -> tuple[str, ...]:
    """Name the words that a part uses."""
    words = ("blocks", "prior", "posterior", "unique", "both", "found", "right")
    word_of = {
        "rough_membership": "roughly",
        "designs": "design",
        "answers": "answer",
        "fingerprints": "recognised",
    }
    asked = (kind for kind, rows in shown.further.items() if not rows.empty)
    return (*words, *(word_of[kind] for kind in asked))


def _drawings(shown: MembershipRows, place: Place) -> Iterator[Drawing]:
    voice = place.voice
    attributes = voice.attributes(int(shown.told["n_qids"]))
    certain = certainty(shown, voice)
    for kind in KINDS:
        said = voice.say(
            f"membership.caption_{kind}", attributes=attributes, certain=certain
        )
        yield place.drawing(kind, said)


SHOWN = PartEach(
    "membership", memberships, membership_figures, membership_part, membership_words
)
