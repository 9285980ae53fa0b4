"""What a sample gives away about who is in it: a part of the page an analysis."""

from collections.abc import Iterator
from itertools import chain

import pandas as pd

from microleak.attacks.membership import figures
from microleak.report.families import Draw, EachAnalysis
from microleak.report.parts import (
    Bars,
    Grid,
    GridColumn,
    Place,
    Reply,
    ShareBar,
    limits_link,
)
from microleak.report.texts import Voice, capital
from microleak.tables import rows as tables

KINDS: dict[str, Draw] = {
    "chance": figures.presence_by_size,
    "persons": figures.presence_bars,
    "uniques": figures.unique_bars,
}
"""Figures of an analysis, in the order of the page."""

_MOST_BARS = 5

_SUBSET: tuple[GridColumn, ...] = (
    "n_qids",
    ("qids", lambda row: ", ".join(tables.qids_of(row))),
)
_WORST = (
    *(*_SUBSET, "posterior_person", "leakage=additive_leakage_person"),
    *("degradation_person", "n_unique_both", "bayes_posterior"),
)
_COUNTED = (
    *(*_SUBSET, "n_sample_unique", "n_found", "n_unique_both", "n_not_found"),
    "n_blocks_in_excess",
)
_ROUGH = ("posterior_person", "posterior_person_exact", "certain", "certain_exact")
_FURTHER = {
    "rough": (*_ROUGH, "claims_that_hold"),
    "design": (
        *("posterior_person", "posterior_person_uniform"),
        *("certain", "certain_uniform"),
    ),
    "answer": ("prior_found", "posterior_found", "posterior_value", "certain"),
}
"""Columns of what is known roughly, of the design, and of answers."""

_DEGRADATIONS = {
    "printed": "degradation_printed",
    "partition": "degradation_partition",
    "person": "degradation_person",
    "bayes_row": "bayes_degradation",
}


def _measured(shown: figures.MembershipRows, place: Place) -> Iterator[str]:
    rows, voice = shown.measures, place.voice
    combinations = voice.combinations(len(rows), int(rows["n_qids"].max()))
    people = _people(rows.iloc[0], place)
    yield place.say("measured", rows.iloc[0], people=people, combinations=combinations)
    yield place.known(tables.all_qids(rows))


def _people(row: pd.Series, place: Place) -> str:
    n = int(row["n_sample"])
    return place.say(f"people_{'one' if n == 1 else 'many'}", n=n)


def _heading(shown: figures.MembershipRows, place: Place) -> str:
    """Write how many took part for certain, or else with what chance one is found."""
    # It is certain of everybody in a block that was sampled whole, d = n, which those
    # who are alone in both tables are part of. That is said of a sample only that is
    # known to be part of its population.
    row, refuting = shown.told, shown.refuting
    certain = _certain(shown, place)
    if not certain:
        return place.say("heading_chance", row)
    told = {"certain": certain, "people": _people(row, place)}
    if refuting is None:
        return place.say("heading_certain", row, **told)
    name = next(name for name in figures.DIFFERING if refuting[name] > 0)
    why = _by(place.say(f"why_{name}", refuting), "why_by", shown, place)
    condition = capital(_certainty(shown, place))
    return place.say("heading_if", row, condition=condition, why=why, **told)


def _certain(shown: figures.MembershipRows, place: Place) -> str:
    """Write how many of the sample are in blocks that were sampled whole, if any."""
    *_, whole = shown.persons(shown.told, "sample")
    return place.say("count_share", vars(whole)) if whole.n_records else ""


def _certainty(shown: figures.MembershipRows, place: Place) -> str:
    """Write whether a chance of 1 makes presence certain, or under which condition."""
    return place.say(f"certain_{'whole' if shown.refuting is None else 'if'}")


def _by(said: str, key: str, shown: figures.MembershipRows, place: Place) -> str:
    """Add by which other QIDs a sample is not known to be of its population."""
    is_told = shown.refuting is None or shown.refuting["qids"] == shown.told["qids"]
    return said if is_told else place.say(key, shown.refuting, said=said)


def _sentences(shown: figures.MembershipRows, place: Place) -> Iterator[str]:
    row, half, refuting = shown.told, shown.half, shown.refuting
    if _certain(shown, place):
        yield place.say("chance", row)
    if half["n_qids"] < row["n_qids"]:
        yield place.say("half", half)
    if refuting is not None:
        yield _by(place.say("differing", refuting), "differing_by", shown, place)
    yield place.say(f"unique_{'certain' if refuting is None else 'alone'}", row)
    yield place.say("bayes", row)
    yield from _roughly(shown, place)
    for each in _of_told(shown, shown.designs):
        yield place.say("designs", each)
    yield from _answers(shown, place)
    for _, each in shown.fingerprints.iterrows():
        yield place.say("classes", each)
        if pd.notna(each["n_identified_right"]):
            yield place.say("classes_right", each)
    yield place.say("names", row)


def _roughly(shown: figures.MembershipRows, place: Place) -> Iterator[str]:
    """Yield what is left of it to somebody who knows facts only roughly."""
    rows = shown.of_worst(shown.rough)
    rows = rows[rows["roughly"] != ""]
    if rows.empty:
        return
    row = rows.loc[rows["posterior_person_exact"].idxmax()]
    yield place.say("roughly", row)
    if row["claimed"]:
        yield place.say("claims", row)


def _of_told(shown: figures.MembershipRows, rows: pd.DataFrame) -> Iterator[pd.Series]:
    """Yield rows of the combination that is told of, those that have numbers."""
    told = rows[rows["qids"] == shown.told["qids"]].dropna(subset=["certain"])
    return (row for _, row in told.iterrows())


def _answers(shown: figures.MembershipRows, place: Place) -> Iterator[str]:
    """Yield, for each attribute inferred, how often presence and answer are known."""
    for row in _of_told(shown, shown.answers):
        yield place.say("answers", row)


def _caption(shown: figures.MembershipRows, kind: str, place: Place) -> str:
    certain = _certainty(shown, place)
    return place.say(f"caption_{kind}", shown.told, certain=certain)


def _grids(shown: figures.MembershipRows, place: Place) -> Iterator[Grid]:
    """Yield chances, further tables if any, the four degradations, and counts."""
    worst, told = shown.worst, shown.told["qids"]
    anchors = tuple(f"{place.anchor}-row" if q == told else "" for q in worst["qids"])
    yield place.grid(worst, _WORST, "caption_worst", n_texts=2, anchors=anchors)
    yield from _further(shown.rough, "rough", shown, place)
    yield from _further(shown.designs, "design", shown, place)
    yield from _further(shown.answers, "answer", shown, place)
    yield _degradations(shown, place)
    yield place.grid(worst, _COUNTED, "caption_counts", n_texts=2, is_folded=True)
    yield _persons(shown, place)
    yield _uniques(shown, place)


def _further(
    rows: pd.DataFrame, kind: str, shown: figures.MembershipRows, place: Place
) -> Iterator[Grid]:
    """Lay out the worst combination of each size of a further table, if there is."""
    worst = shown.of_worst(rows)
    if not worst.empty:
        attribute = ["answer_sensitive=sensitive:attribute"] * (kind == "answer")
        shares = (f"{kind}_{name}={name}" for name in _FURTHER[kind])
        columns: list[GridColumn] = [*_SUBSET, *attribute, *shares]
        key = f"caption_{kind}{'s' * (kind != 'rough')}"
        yield place.grid(worst, columns, key, n_texts=2 + len(attribute))


def _degradations(shown: figures.MembershipRows, place: Place) -> Grid:
    row, texts = shown.told, place.voice.texts["membership"]
    rows = [
        {**texts[key], "value": row[column]} for key, column in _DEGRADATIONS.items()
    ]
    columns = ("name=term", "definition=text", "value:ratio")
    said = {"qids": row["qids"]}
    return place.grid(
        pd.DataFrame(rows), columns, "caption_degradation", said, n_texts=2
    )


def _persons(shown: figures.MembershipRows, place: Place) -> Grid:
    row, numbers = shown.told, place.voice.numbers
    classes = [shown.persons(row, name) for name in figures.PERSONS_OF]

    def written(part: figures.PersonClass) -> tuple[str, str]:
        return numbers.count(part.n_records), numbers.share(part.share)

    columns = ("of_sample", "share", "of_population", "share")
    return Grid(
        caption=place.say("caption_of_persons", row),
        headings=(
            place.voice.say("figure.membership_presence_chance"),
            *place.voice.columns("membership", *columns),
        ),
        rows=tuple(
            (_chance(both[0], place.voice), *chain.from_iterable(map(written, both)))
            for both in zip(*classes, strict=True)
        ),
        is_folded=True,
    )


def _chance(part: figures.PersonClass, voice: Voice) -> str:
    if part.upper is None:
        return voice.say("page.bin_certain", share=f"{part.lower}%")
    return voice.say("page.bin", low=f"{part.lower}%", high=f"{part.upper}%")


def _uniques(shown: figures.MembershipRows, place: Place) -> Grid:
    words, count = place.voice.words(is_synthetic=False), place.voice.numbers.count
    return Grid(
        caption=place.say("caption_of_uniques", shown.told),
        headings=place.voice.columns("membership", "fitting", "unique_persons"),
        rows=tuple(
            (figures.class_text(part, words), count(part.n_sample_unique))
            for part in shown.fitting(shown.told)
        ),
        is_folded=True,
    )


def _replies(shown: figures.MembershipRows, place: Place) -> Iterator[Reply]:
    """Yield who is found in the sample, what they answered, and how sure that is."""
    href, found = f"#{place.anchor}", f"{_heading(shown, place)}."
    if _certain(shown, place):
        found += " " + place.say("reply_prior", shown.told)
    bars = Bars(place.say("bars"), tuple(_bars(shown, place)))
    yield Reply("find", found, href, place.sources("membership"), bars)
    for answer in _answers(shown, place):
        yield Reply("learn", answer, href, place.sources("answers")[1:])
    yield Reply("sure", place.say("reply_sure"), href, (limits_link(place.voice),))


def _bars(shown: figures.MembershipRows, place: Place) -> Iterator[ShareBar]:
    """Yield the chance without any fact, and with the worst of up to five sizes."""
    prior, voice = shown.told["prior"], place.voice
    yield ShareBar(place.say("bar_prior"), prior, voice.numbers.share(prior))
    worst = shown.worst[::-1]
    for _, row in worst[:: -(-len(worst) // _MOST_BARS)][::-1].iterrows():
        chance = row["posterior_person"]
        label = voice.attributes(int(row["n_qids"]))
        yield ShareBar(label, chance, voice.numbers.share(chance))


_WORD_OF = dict(
    zip(figures.FURTHER, ("roughly", "design", "answer", "recognised"), strict=True)
)
_WORDS = ("blocks", "prior", "posterior", "unique", "both", "found", "right")

SHOWN = EachAnalysis(
    "membership",
    tables=("membership", "presence", "uniques", *figures.FURTHER),
    found=figures.membership,
    heading=_heading,
    measured=_measured,
    drawings=lambda _: KINDS,
    caption=_caption,
    # A twin may have made either of the two.
    releases=lambda shown: (
        (row[of], row[f"{of}_release"])
        for _, row in shown.measures[:1].iterrows()
        for of in figures.PERSONS_OF[::-1]
    ),
    sentences=_sentences,
    grids=_grids,
    words=lambda shown: (
        *_WORDS,
        *(_WORD_OF[kind] for kind, rows in shown.further.items() if not rows.empty),
    ),
    replies=_replies,
    warning="warning",
)
