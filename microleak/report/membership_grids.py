"""Tables of the page on who is in a sample: numbers beside what each divides."""

from itertools import chain

import pandas as pd

from microleak.figures import tables
from microleak.figures.membership_rows import PERSONS_OF, Membership, PersonClass
from microleak.figures.membership_uniques import class_text
from microleak.report.parts import Grid
from microleak.report.texts import Voice

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
_SUBSET = ("page.column_n", "page.column_qids")


def worst_grid(shown: Membership, voice: Voice) -> Grid:
    """Lay out the chances with the worst subset of each size."""
    first = shown.worst.iloc[0]
    own = (
        "membership.column_chance",
        "page.column_leakage",
        "membership.column_degradation",
        "membership.column_both",
        "membership.column_bayes",
    )
    return Grid(
        caption=voice.say(
            "membership.worst_caption",
            prior=voice.numbers.share(first["prior"], True),
            bayes_prior=voice.numbers.share(first["bayes_prior"]),
        ),
        headings=tuple(map(voice.say, (*_SUBSET, *own))),
        rows=tuple(
            (*_subset(row, voice), *_chances(row, voice))
            for _, row in shown.worst.iterrows()
        ),
        n_texts=len(_SUBSET),
    )


def counts_grid(shown: Membership, voice: Voice) -> Grid:
    """Lay out the counts of the worst subset of each size."""
    own = (f"membership.column_{name}" for name in _COUNTED)
    return Grid(
        caption=voice.say("membership.counts_caption"),
        headings=tuple(map(voice.say, (*_SUBSET, *own))),
        rows=tuple(
            (
                *_subset(row, voice),
                *(_count(row[column], voice) for column in _COUNTED.values()),
            )
            for _, row in shown.worst.iterrows()
        ),
        n_texts=len(_SUBSET),
        is_folded=True,
    )


def _subset(row: pd.Series, voice: Voice) -> tuple[str, str]:
    return voice.numbers.count(row["n_qids"]), ", ".join(tables.qids_of(row))


def _chances(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        numbers.share(row["posterior_person"], row["posterior_person"] > 0),
        numbers.change(row["additive_leakage_person"]),
        numbers.ratio(row["degradation_person"]),
        _count(row["n_unique_both"], voice),
        numbers.share(row["bayes_posterior"]),
    )


def degradation_grid(shown: Membership, voice: Voice) -> Grid:
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


def persons_grid(shown: Membership, voice: Voice) -> Grid:
    """Lay out how many persons of either table have which chance."""
    row = shown.told
    columns = ("of_sample", "share", "of_population", "share")
    classes = [shown.persons(row, name) for name in PERSONS_OF]

    def written(part: PersonClass) -> tuple[str, str]:
        share = voice.numbers.share(part.share, is_positive=part.n_records > 0)
        return _count(part.n_records, voice), share

    return Grid(
        caption=_caption("persons", row, voice),
        headings=(
            voice.say("figure.presence_chance"),
            *(voice.say(f"membership.column_{column}") for column in columns),
        ),
        rows=tuple(
            (_chance(of_both[0], voice), *chain.from_iterable(map(written, of_both)))
            for of_both in zip(*classes, strict=True)
        ),
        is_folded=True,
    )


def _chance(part: PersonClass, voice: Voice) -> str:
    low = f"{voice.numbers.count(part.lower)}%"
    if part.upper is None:
        return voice.say("page.bin_certain", share=low)
    return voice.say("page.bin", low=low, high=f"{voice.numbers.count(part.upper)}%")


def uniques_grid(shown: Membership, voice: Voice) -> Grid:
    """Lay out how many persons alone in the sample fit how many of the population."""
    row = shown.told
    words = voice.words(is_synthetic=False)
    columns = ("fitting", "unique_persons")
    return Grid(
        caption=_caption("uniques", row, voice),
        headings=tuple(voice.say(f"membership.column_{name}") for name in columns),
        rows=tuple(
            (class_text(part, words), _count(part.n_sample_unique, voice))
            for part in shown.fitting(row)
        ),
        is_folded=True,
    )


def _caption(kind: str, row: pd.Series, voice: Voice) -> str:
    attributes = voice.attributes(int(row["n_qids"]))
    return voice.say(f"membership.{kind}_caption", attributes=attributes)


def _count(number: float, voice: Voice) -> str:
    """Write a count of a class, which may be suppressed without being small."""
    return voice.numbers.suppressed if pd.isna(number) else voice.numbers.count(number)
