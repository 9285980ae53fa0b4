"""What linking further releases adds: sentences, and a table as Nunes' Table 5.5."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from microleak.figures import tables
from microleak.report.texts import Voice


@dataclass(frozen=True)
class GainRow:
    """The posteriors of one panel, and what its last release adds to them."""

    panel: str
    posterior_det: str
    gain_det: str
    posterior_prob: str
    gain_prob: str


@dataclass(frozen=True)
class Years:
    """What a section says of the releases linked, with all QIDs."""

    sentences: tuple[str, ...]
    attributes: str
    qids: tuple[str, ...]
    prior_det: str
    prior_prob: str
    rows: tuple[GainRow, ...]


def years(
    collective: pd.DataFrame,
    worst: pd.DataFrame,
    gain: pd.DataFrame,
    voice: Voice,
    unit: str,
) -> Years:
    """Say what each release that is linked adds, for the largest subset of QIDs.

    Parameters
    ----------
    collective, worst, gain
        Rows of one analysis that links releases, and of one subject.
    voice
        The language and audience.
    unit
        What a record stands for: `person`, or `record` where a person may have
        many.
    """
    full = tables.full_set(collective, worst)
    gained = tables.full_set(gain, worst)
    first = full.iloc[0]
    said = [
        _certainty(full, voice, unit),
        _guess(full, voice, unit),
        _most(gained, voice),
    ]
    return Years(
        sentences=tuple(sentence for sentence in said if sentence),
        attributes=voice.attributes(int(first["n_qids"])),
        qids=tuple(tables.qids_of(first)),
        prior_det=voice.numbers.share(first["prior_det"]),
        prior_prob=voice.numbers.share(first["prior_prob"], is_positive=True),
        rows=tuple(_rows(full, gained, voice)),
    )


def _rows(full: pd.DataFrame, gained: pd.DataFrame, voice: Voice) -> Iterator[GainRow]:
    for (_, row), (_, gain) in zip(full.iterrows(), gained.iterrows(), strict=True):
        is_first = not row["auxiliary"]
        yield GainRow(
            panel=tables.panel_label(row),
            posterior_det=_certain(row, voice),
            gain_det="" if is_first else voice.numbers.change(gain["gain_det"]),
            posterior_prob=voice.numbers.share(row["posterior_prob"], is_positive=True),
            gain_prob="" if is_first else voice.numbers.change(gain["gain_prob"]),
        )


def _certainty(full: pd.DataFrame, voice: Voice, unit: str) -> str:
    """Say how many records all releases give away, and the focal one alone."""
    alone, linked = full.iloc[0], full.iloc[-1]
    if full["posterior_det"].isna().iloc[[0, -1]].any():
        return ""
    return voice.say(
        f"years.certain_{_family(linked)}",
        releases=voice.listing(tables.releases_of(linked)),
        focal=linked["focal"],
        attributes=voice.attributes(int(linked["n_qids"])),
        qids=voice.listing(map(voice.attribute, tables.qids_of(linked))),
        sensitive=voice.attribute(linked["sensitive"]),
        linked=_certain(linked, voice),
        n_linked=voice.numbers.count(linked["n_certain"]),
        alone=_certain(alone, voice),
        n_alone=voice.numbers.count(alone["n_certain"]),
        n_records=voice.numbers.count(linked["n_records"]),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def _guess(full: pd.DataFrame, voice: Voice, unit: str) -> str:
    alone, linked = full.iloc[0], full.iloc[-1]
    shares = [linked["posterior_prob"], alone["posterior_prob"], alone["prior_prob"]]
    if pd.isna(shares).any():
        return ""
    told = [voice.numbers.share(share, is_positive=True) for share in shares]
    return voice.say(
        f"years.guess_{_family(linked)}",
        focal=linked["focal"],
        random_unit=voice.texts["unit"][unit]["random"],
        **dict(zip(("linked", "alone", "prior"), told, strict=True)),
    )


def _most(gained: pd.DataFrame, voice: Voice) -> str:
    """Say which of several further releases adds most to certainty."""
    further = gained.iloc[1:].dropna(subset="gain_det")
    if len(further) < 2 or not further["gain_det"].max() > 0:
        return ""
    row = further.loc[further["gain_det"].idxmax()]
    return voice.say(
        "years.most",
        release=tables.releases_of(row)[-1],
        gain=voice.numbers.points(row["gain_det"], is_positive=True),
    )


def _family(row: pd.Series) -> str:
    return "infer" if row["sensitive"] else "reid"


def _certain(row: pd.Series, voice: Voice) -> str:
    is_positive = bool(pd.notna(row["n_certain"]) and row["n_certain"] > 0)
    return voice.numbers.share(row["posterior_det"], is_positive)
