"""Findings as sentences, made from the numbers and nothing else."""

from dataclasses import dataclass

import pandas as pd

from microleak.report.contents import Scope
from microleak.report.sentences import capital, uncapital
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Finding:
    """What was found about one subject: a heading, and sentences that detail it.

    Attributes
    ----------
    heading
        The first of what follows, without its full stop, as these are.
    scenarios
        What each adversary finds whom the study file names.
    worst
        What is found at worst.
    sentences
        Details of the worst.
    beside
        Puts an inference beside a guess made without it; empty for
        re-identification.
    """

    heading: str
    sentences: tuple[str, ...]
    beside: str = ""
    scenarios: tuple[str, ...] = ()
    worst: tuple[str, ...] = ()

    @property
    def details(self) -> tuple[str, ...]:
        """All but the heading, as sentences."""
        _, *others = (*self.scenarios, *self.worst)
        return (*(f"{each}." for each in others), *self.sentences)


def finding(worst: pd.DataFrame, voice: Voice, scope: Scope) -> Finding:
    """Say what the worst subsets of one analysis and one subject mean.

    The finding is about the fewest quasi-identifiers whose worst subset gives
    certainty for at least half of what any subset does. Where releases are linked
    it is about all of them, so that it never falls when one more is linked.

    Parameters
    ----------
    worst
        Worst subsets of re-identification or of one sensitive attribute, every
        panel and criterion; not empty.
    voice
        The language.
    scope
        What a record stands for, and which releases have fewer attributes.
    """
    panel = list(tables.by_panel(worst).values())[-1]
    row = certain_row(worst)
    state = _state(row)
    heading = _heading(row, state, int(panel["n_qids"].max()), voice, scope)
    unit = scope.unit
    if state == "known":
        return Finding(heading, (), worst=(heading,))
    sentences = [
        _certainty(row, voice, unit),
        _guess(row, voice, unit),
        _all(panel, row, voice, unit),
    ]
    said = tuple(sentence for sentence in sentences if sentence)
    return Finding(heading, said, _beside(row, voice, unit), worst=(heading,))


def certain_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject that `finding` tells of.

    Of releases that are linked it is the largest subset, with all of them.
    """
    panel = list(tables.by_panel(worst).values())[-1]
    certain = panel[panel["criterion"] == "deterministic"].sort_values("n_qids")
    is_linked = bool(certain["auxiliary"].iloc[0])
    return certain.iloc[-1] if is_linked else headline_row(certain)


def headline_row(certain: pd.DataFrame) -> pd.Series:
    """Return the row that reaches half of the highest certainty with fewest qids.

    Parameters
    ----------
    certain
        Worst deterministic subsets of one panel, by rising size. If all their
        values are 0 the largest one is returned.
    """
    posterior = certain["posterior_det"].astype("float64")
    if not posterior.max() > 0:
        return certain.iloc[-1]
    return certain[posterior >= posterior.max() / 2].iloc[0]


def _state(row: pd.Series) -> str:
    if row["prior_det"] == 1:
        return "known"
    return "some" if row["n_certain"] else "none"


def _heading(
    row: pd.Series, state: str, largest: int, voice: Voice, scope: Scope
) -> str:
    family = "infer" if row["sensitive"] else "reid"
    names = voice.texts["unit"][scope.unit]
    number = voice.n_facts(tables.qids_of(row))
    if state == "some":
        state = "one" if number == 1 else "many"
    return voice.say(
        f"finding.{family}_{state}",
        Number=capital(voice.number_word(number)),
        qids=known(row, voice, scope),
        sensitive=voice.attribute(row["sensitive"]),
        share=voice.numbers.share(row["posterior_det"]),
        attributes=voice.attributes(largest),
        one=names["one"],
        units=names["many"],
        of_units=names["of_many"],
        No_unit=names["none"],
        no_unit=uncapital(names["none"]),
    )


def known(row: pd.Series, voice: Voice, scope: Scope) -> str:
    """Name the QIDs, and where releases are linked in which they are known."""
    names = voice.known(tables.qids_of(row))
    if not row["auxiliary"]:
        return names
    releases = voice.listing(tables.releases_of(row))
    phrase = "in_releases_partial" if scope.is_partial(row) else "in_releases"
    return voice.say(f"finding.{phrase}", names=names, releases=releases)


def _certainty(row: pd.Series, voice: Voice, unit: str) -> str:
    return voice.say(
        "detail.certain",
        prior=voice.numbers.share(row["prior_det"]),
        posterior=voice.numbers.share(row["posterior_det"]),
        difference=voice.points(
            voice.numbers.points(row["degradation_det"]),
            row["degradation_det"],
        ),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def _guess(row: pd.Series, voice: Voice, unit: str) -> str:
    family = "infer" if row["sensitive"] else "reid"
    return voice.say(
        f"detail.guess_{family if row['additive_leakage'] else 'same'}",
        prior=voice.numbers.share(row["prior_prob"]),
        posterior=voice.numbers.share(row["posterior_prob"]),
        ratio=voice.numbers.ratio(row["degradation_prob"]),
        leakage=voice.points(
            voice.numbers.points(row["additive_leakage"]), row["additive_leakage"]
        ),
        random_unit=voice.texts["unit"][unit]["random"],
    )


def _beside(row: pd.Series, voice: Voice, unit: str) -> str:
    """Say how often the value is guessed right anyway."""
    if not row["sensitive"]:
        return ""
    is_one = voice.n_facts(tables.qids_of(row)) == 1
    return voice.say(
        f"detail.beside_{'one' if is_one else 'many'}",
        prior=voice.numbers.share(row["prior_prob"]),
        posterior=voice.numbers.share(row["posterior_prob"]),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def _all(panel: pd.DataFrame, row: pd.Series, voice: Voice, unit: str) -> str:
    """Say what the largest subsets reach, unless the finding is about them."""
    largest = panel[panel["n_qids"] == panel["n_qids"].max()].set_index("criterion")
    certain, guess = (
        largest.loc[criterion, posterior]
        for criterion, posterior in [
            ("deterministic", "posterior_det"),
            ("probabilistic", "posterior_prob"),
        ]
    )
    size = int(largest["n_qids"].iloc[0])
    if size == row["n_qids"]:
        return ""
    return voice.say(
        "detail.all",
        attributes=voice.attributes(size),
        certain=voice.numbers.share(certain),
        guess=voice.numbers.share(guess),
        of_units=voice.texts["unit"][unit]["of_many"],
    )
