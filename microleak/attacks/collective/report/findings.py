"""Findings as sentences, made from the numbers and nothing else."""

from dataclasses import dataclass

import pandas as pd

from microleak.attacks.collective.report.contents import Scope
from microleak.report.texts import Voice, capital, uncapital
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Finding:
    """What was found about one subject: a heading, and sentences that detail it."""

    heading: str  # The first of what follows, without its full stop, as these are
    sentences: tuple[str, ...]  # Details of the own record and of the worst
    beside: str = ""  # Puts an inference beside a guess made without it
    own: str = ""
    scenarios: tuple[str, ...] = ()
    worst: tuple[str, ...] = ()  # What is found at worst

    @property
    def certain(self) -> str:
        """What the first adversary is certain of or, without one, what is at worst."""
        return next(iter((*self.scenarios, *self.worst)))

    @property
    def beyond(self) -> tuple[str, ...]:
        """What else than the heading was found, as sentences that a reader sees."""
        _, *others = filter(None, (*self.scenarios, *self.worst[:1], self.own))
        return tuple(f"{each}." for each in others)

    @property
    def details(self) -> tuple[str, ...]:
        """What a reader opens, as sentences."""
        return (*(f"{each}." for each in self.worst[1:]), *self.sentences)


def finding(
    worst: pd.DataFrame,
    voice: Voice,
    scope: Scope,
    fewer: pd.Series | None = None,
) -> Finding:
    """Say what the worst subsets of one analysis and one subject mean.

    The finding is about the highest certainty, and its heading tells beside it what
    fewer quasi-identifiers are enough for. Where releases are linked it is about all
    of them, so that it never falls when one more is linked.
    """
    panel = list(tables.by_panel(worst).values())[-1]
    row = highest_row(worst)
    state = _state(row)
    heading = highest(worst, voice, scope)
    if state == "some":
        fewer = certain_row(worst) if fewer is None else fewer
        share = voice.numbers.share(fewer["posterior_det"])
        told = f"{share} ({voice.numbers.count(fewer['n_certain'])})"
        heading += fewer_facts(fewer, row, told, voice)
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
    """Return the row of one subject with few QIDs that give much certainty.

    Of releases that are linked it is the largest subset, with all of them.
    """
    certain = _by_size(worst)
    return certain.iloc[-1] if certain["auxiliary"].any() else headline_row(certain)


def highest_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest certainty.

    Of equals it is that with the fewest QIDs. If all values are 0, and of
    releases that are linked, it is the largest subset.
    """
    certain = _by_size(worst)
    return certain.iloc[-1] if certain["auxiliary"].any() else first_highest(certain)


def _by_size(worst: pd.DataFrame) -> pd.DataFrame:
    """Worst deterministic subsets of the last panel, by rising size."""
    panel = list(tables.by_panel(worst).values())[-1]
    return panel[panel["criterion"] == "deterministic"].sort_values("n_qids")


def first_highest(certain: pd.DataFrame) -> pd.Series:
    """Return the first row with the highest certainty, or the last if there is none."""
    posterior = certain["posterior_det"].astype("float64")
    if not posterior.max() > 0:
        return certain.iloc[-1]
    return certain.iloc[int(posterior.argmax())]


def headline_row(certain: pd.DataFrame) -> pd.Series:
    """Return the row that reaches half of the highest certainty with fewest qids."""
    posterior = certain["posterior_det"].astype("float64")
    if not posterior.max() > 0:
        return certain.iloc[-1]
    return certain[posterior >= posterior.max() / 2].iloc[0]


def _state(row: pd.Series) -> str:
    if row["prior_det"] == 1:
        return "known"
    return "some" if row["n_certain"] else "none"


def highest(worst: pd.DataFrame, voice: Voice, scope: Scope) -> str:
    """Say of how many records an adversary is certain at most."""
    row, largest = highest_row(worst), int(_by_size(worst)["n_qids"].max())
    state = _state(row)
    family = "infer" if row["sensitive"] else "reid"
    names = voice.texts["unit"][scope.unit]
    number = len(tables.qids_of(row))
    if state == "some":
        state = "one" if number == 1 else "many"
    return voice.say(
        f"finding.{family}_{state}",
        Number=capital(voice.number_word(number)),
        qids=known(row, voice, scope),
        sensitive=voice.attribute(row["sensitive"]),
        share=voice.numbers.share(row["posterior_det"]),
        n=voice.numbers.count(row["n_certain"]),
        n_records=voice.numbers.count(row["n_records"]),
        attributes=voice.attributes(largest),
        one=names["one"],
        units=names["many"],
        of_units=names["of_many"],
        No_unit=names["none"],
        no_unit=uncapital(names["none"]),
    )


def fewer_facts(fewer: pd.Series, row: pd.Series, cases: str, voice: Voice) -> str:
    """Say for which cases fewer facts than those of a row are enough, if for any."""
    if fewer["n_qids"] >= row["n_qids"] or not fewer["n_certain"] > 0:
        return ""
    number = len(tables.qids_of(fewer))
    return voice.say(
        f"finding.fewer_{'one' if number == 1 else 'many'}",
        number=voice.number_word(number),
        qids=voice.known(tables.qids_of(fewer)),
        cases=cases,
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
    number = len(tables.qids_of(row))
    return voice.say(
        f"detail.beside_{'one' if number == 1 else 'many'}",
        number=voice.number_word(number),
        prior=voice.numbers.share(row["prior_prob"]),
        posterior=voice.numbers.share(row["posterior_prob"]),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def own_record(
    row: pd.Series, is_most: bool, voice: Voice, scope: Scope
) -> tuple[str, str]:
    """Say how much of what the best guess gains comes from the target's own record.

    The row is of a sensitive attribute. The first text is a heading, the second a
    sentence with the numbers; both are empty where nothing is gained. It may be less
    than that (`is_most`) if not all subsets were measured.
    """
    gain = row["additive_leakage"]
    if not gain > 0:
        return "", ""
    heading = voice.say(
        f"finding.own_record{'_most' if is_most else ''}",
        sensitive=voice.attribute(row["sensitive"]),
        share=voice.numbers.share(row["own_record"] / gain),
    )
    return heading, voice.say(
        f"finding.own_numbers{'_most' if is_most else ''}",
        facts=voice.facts(tables.qids_of(row)),
        qids=known(row, voice, scope),
        own=voice.points(voice.numbers.points(row["own_record"]), row["own_record"]),
        gain=voice.points(voice.numbers.points(gain), gain),
        posterior=voice.numbers.share(row["posterior_prob"]),
        prior=voice.numbers.share(row["prior_prob"]),
        of_units=voice.texts["unit"][scope.unit]["of_many"],
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
