"""Findings as sentences, made from the numbers and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from microleak.attacks.collective.report.contents import Scope
from microleak.report.texts import Voice, capital
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Finding:
    """What was found about one subject, and sentences that detail it."""

    # Those below have no full stop yet, but for details
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
    def seen(self) -> tuple[str, ...]:
        """What was found, as sentences that a reader sees."""
        found = filter(None, (*self.scenarios, *self.worst[:1], self.own))
        return tuple(f"{each}." for each in found)

    @property
    def details(self) -> tuple[str, ...]:
        """What a reader opens, as sentences."""
        return (*(f"{each}." for each in self.worst[1:]), *self.sentences)


def finding(
    worst: pd.DataFrame, scope: Scope, fewer: pd.Series | None = None
) -> Finding:
    """Write what the worst subsets of one analysis and one subject mean.

    It is about the highest certainty, and what fewer quasi-identifiers are enough for.
    """
    # Of all releases that are linked, so that it never falls when one more is.
    panel = list(tables.by_panel(worst).values())[-1]
    row = highest_row(worst)
    state = _state(row)
    first = highest(worst, scope)
    if state == "some":
        fewer = certain_row(worst) if fewer is None else fewer
        share = scope.voice.numbers.share(fewer["posterior_det"])
        told = f"{share} ({scope.voice.numbers.count(fewer['n_certain'])})"
        first += fewer_facts(fewer, row, told, scope.voice)
    if state == "known":
        return Finding((), worst=(first,))
    said = filter(None, _details(panel, row, scope))
    number = len(tables.qids_of(row))
    key, said_as = f"detail.beside_{_plural(number)}", scope.voice.number_word(number)
    beside = scope.say(key, row, number=said_as) if row["sensitive"] else ""
    return Finding(tuple(said), beside, worst=(first,))


def certain_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with few QIDs that give much certainty."""
    certain = certain_by_size(worst)
    return certain.iloc[-1] if certain["auxiliary"].any() else headline_row(certain)


def highest_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest certainty."""
    certain = certain_by_size(worst)
    return certain.iloc[-1] if certain["auxiliary"].any() else first_highest(certain)


def certain_by_size(worst: pd.DataFrame) -> pd.DataFrame:
    """Worst deterministic subsets of the last panel, by rising size."""
    panel = list(tables.by_panel(worst).values())[-1]
    return panel[panel["criterion"] == "deterministic"].sort_values("n_qids")


def first_highest(certain: pd.DataFrame) -> pd.Series:
    """Return the first row with the highest certainty, or the last if there is none."""
    return _first_with(1, certain)


def headline_row(certain: pd.DataFrame) -> pd.Series:
    """Return the row that reaches half of the highest certainty with fewest qids."""
    return _first_with(0.5, certain)


def _first_with(part: float, certain: pd.DataFrame) -> pd.Series:
    posterior = certain["posterior_det"].astype("float64")
    enough = certain[posterior >= part * posterior.max()]
    return enough.iloc[0] if posterior.max() > 0 else certain.iloc[-1]


def _state(row: pd.Series) -> str:
    if row["prior_det"] == 1:
        return "known"
    return "some" if row["n_certain"] else "none"


def highest(worst: pd.DataFrame, scope: Scope) -> str:
    """Write about how many records an adversary is certain at most."""
    row, largest = highest_row(worst), int(certain_by_size(worst)["n_qids"].max())
    state, number = _state(row), len(tables.qids_of(row))
    if state == "some":
        state = _plural(number)
    return scope.say(
        f"finding.{attack_kind(row)}_{state}",
        row,
        Number=capital(scope.voice.number_word(number)),
        known=known(row, scope),
        attributes=scope.voice.attributes(largest),
    )


def _plural(number: int) -> str:
    return "one" if number == 1 else "many"


def attack_kind(row: pd.Series) -> str:
    """Return how keys of phrases on an attack begin or end."""
    return "infer" if row["sensitive"] else "reid"


def fewer_facts(fewer: pd.Series, row: pd.Series, cases: str, voice: Voice) -> str:
    """Write for which cases fewer facts than those of a row are enough, if for any."""
    if fewer["n_qids"] >= row["n_qids"] or not fewer["n_certain"] > 0:
        return ""
    number = len(tables.qids_of(fewer))
    key = f"finding.fewer_{_plural(number)}"
    return voice.say(key, fewer, number=voice.number_word(number), cases=cases)


def known(row: pd.Series, scope: Scope) -> str:
    """Name the QIDs, and where releases are linked in which they are known."""
    names = scope.voice.known(row["qids"])
    if not row["auxiliary"]:
        return names
    releases = scope.voice.listing(tables.releases_of(row))
    phrase = "in_releases_partial" if scope.is_partial(row) else "in_releases"
    return scope.say(f"finding.{phrase}", names=names, releases=releases)


def _details(panel: pd.DataFrame, row: pd.Series, scope: Scope) -> Iterator[str]:
    """Yield what is certain and guessed, and what the largest subsets reach."""
    yield scope.say("detail.certain", row)
    kind = attack_kind(row) if row["additive_leakage"] else "same"
    yield scope.say(f"detail.guess_{kind}", row)
    largest = panel[panel["n_qids"] == panel["n_qids"].max()].set_index("criterion")
    size = int(largest["n_qids"].iloc[0])
    if size != row["n_qids"]:
        yield scope.say(
            "detail.all",
            attributes=scope.voice.attributes(size),
            certain=largest.loc["deterministic", "posterior_det"],
            guess=largest.loc["probabilistic", "posterior_prob"],
        )


def own_record(row: pd.Series, is_most: bool, scope: Scope) -> tuple[str, str]:
    """Write how much of what the best guess gains comes from the target's own record.

    A heading and a sentence. It may be less (`is_most`) if not all were measured.
    """
    gain = row["additive_leakage"]
    if not gain > 0:
        return "", ""
    most = "_most" if is_most else ""
    share = row["own_record"] / gain
    return (
        scope.say(f"finding.own_record{most}", row, share=share),
        scope.say(f"finding.own_numbers{most}", row, known=known(row, scope)),
    )
