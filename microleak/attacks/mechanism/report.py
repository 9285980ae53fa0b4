"""What noise buys and costs where counts are published: a part of the page."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from microleak.attacks.mechanism import figures
from microleak.attacks.mechanism.rows import LOSS, MEASURES, UTILITY, Noisy
from microleak.records.record_filter import split_values
from microleak.report.families import Draw, EachAnalysis, main_release
from microleak.report.parts import NOTHING, Grid, GridColumn, Place
from microleak.report.texts import Voice, predicate_text

DRAW: dict[str, Draw] = {
    "epsilon": figures.loss_and_utility,
    "tradeoff": figures.privacy_against_utility,
    "samples": figures.intervals_of_samples,
    "pairs": figures.loss_of_pairs,
}
"""Figures by their kind, in the order of the page."""

SCENARIOS = ("A", "B", "C", "D")  # Letters of Nunes' Example 33
_NONE = 1.000005  # Below it a privacy loss is 1 to the five decimals that are shown
_FROM, _LIMIT = "sensitive_from_useful", "privacy_loss_limit"

_BOUNDS = {
    "least_printed": (1, "utility_floor_printed"),
    "least": (1, "utility_floor"),
    "most": ("privacy_loss_limit", 1),
    "most_printed": ("privacy_loss_limit_printed", 1),
}
"""Least and largest privacy loss and utility: columns, or 1, by the rows' labels."""

_FROM_ALL = (
    *("prior", "posterior", "privacy_loss", "utility", "absolute_error"),
    *("privacy_loss_limit", "privacy_loss_limit_printed"),
    *("utility_floor", "utility_floor_printed"),
    *("sensitive_from_useful", "useful_from_sensitive"),
)
_SPREAD = (
    *("mean", "standard_error", "mean_low", "mean_high"),
    *("low", "median", "high"),
)


def kinds(noisy: Noisy) -> tuple[str, ...]:
    if not noisy.has_count:
        return ("pairs",)
    return ("epsilon", "tradeoff", *(["samples"] if noisy.has_samples else []))


def _is_none(loss: float) -> bool:
    """Return whether a privacy loss is shown as 1."""
    return bool(loss < _NONE)


def _chances(row: pd.Series, voice: Voice) -> tuple[str, str]:
    """Write the chances to guess without and with a count."""
    share = voice.numbers.share
    return share(row["prior"]), share(row["posterior"])


def _predicate(row: pd.Series, voice: Voice) -> str:
    values = split_values(row["predicate_values"])
    return predicate_text(row["predicate"], values, voice, row["useful"])


def _measured(noisy: Noisy, place: Place) -> Iterator[str]:
    row, voice, is_count = noisy.first, place.voice, noisy.has_count
    names = noisy.noises.index if is_count else noisy.pairs["epsilon"].unique()
    epsilons = ", ".join(map(voice.numbers.epsilon, names))
    if not is_count:
        names = voice.listing(map(voice.explained, noisy.attributes))
        yield place.say("measured_pairs", row, epsilons=epsilons, names=names)
        return
    models = ", ".join(voice.say(f"figure.mechanism_{model}") for model in noisy.models)
    yield place.say("measured", row, models=models, epsilons=epsilons)
    yield place.say("measured_count", row, predicate=_predicate(row, voice))


def _named(model: str, place: Place) -> str:
    return place.say(f"named_{model}")


def _heading(noisy: Noisy, place: Place) -> str:
    """Write how the chance to guess changes, with most noise and where it tells most.

    It is the chance of an adversary who knows all other records, with the first
    mechanism of the study.
    """
    if not noisy.has_count:
        return _pairs_heading(noisy, place)
    model = noisy.models[0]
    low, _ = noisy.ends(model)
    high = noisy.most_telling(model)
    return place.say(
        f"heading_{_told_of(low, high, place.voice)}",
        high,
        model=_named(model, place),
        predicate=_predicate(low, place.voice),
        low=low["posterior"],
        epsilon_low=low["epsilon"],
    )


def _told_of(low: pd.Series, high: pd.Series, voice: Voice) -> str:
    """Name what the heading can say: of both ends, of one of them, or of none."""
    # It is decided by the chances as they are shown.
    (before, least), (_, most) = _chances(low, voice), _chances(high, voice)
    if before == most:
        return "none" if _is_none(high[LOSS]) else "hardly"
    if least not in (before, most):
        return "both"
    return "late" if before == least and _is_none(low[LOSS]) else "high"


def _sentences(noisy: Noisy, place: Place) -> Iterator[str]:
    if not noisy.has_count:
        yield from _pairs_sentences(noisy, place)
        return
    first, row = noisy.models[0], noisy.first
    low, high = noisy.ends(first)
    ends = {"low": low[UTILITY], "epsilon_low": low["epsilon"]}
    yield place.say("useful", high, **ends)
    for model in noisy.models[1:]:
        yield _other(noisy, model, place)
    is_itself = row["sensitive"] == row["useful"]
    # How a count tells of an attribute that it does not count.
    relation = "not_here" if _is_none(high[_LIMIT]) else "correlated"
    relation = "independent" if high[_FROM] == 0 else relation
    yield place.say("itself" if is_itself else relation, high)
    if row["scenario"]:
        words = place.say(f"scenario_{row['scenario']}")
        yield place.say(f"scenario{'_itself' if is_itself else ''}", row, words=words)
    yield place.say("limits", row)
    # The local mechanism may lose more than the count without noise.
    if "local" in noisy.models:
        yield place.say("limits_local", row)
    if noisy.has_samples:
        sampled = noisy.of_samples(first, LOSS).iloc[-1]
        equal = "_equal" if pd.isna(sampled["mean_low"]) else ""
        told = {"model": _named(first, place), "whole": high[LOSS]}
        yield place.say(f"samples{equal}", sampled, **told)
    if len(noisy.simulated):
        yield _simulated(noisy, place)


def _other(noisy: Noisy, model: str, place: Place) -> str:
    """Write what another mechanism buys and costs with the same epsilons."""
    low, high = noisy.ends(model)
    return place.say(
        "other",
        high,
        model=place.voice.say(f"figure.mechanism_{model}"),
        epsilon_low=low["epsilon"],
        chance=_course("chance", low["posterior"], high["posterior"], place),
        utility=_course("utility", low[UTILITY], high[UTILITY], place),
    )


def _course(of: str, first: float, last: float, place: Place) -> str:
    """Write between which shares a chance goes, or at which it stays as shown."""
    low, high = map(place.voice.numbers.share, (first, last))
    return place.say(f"other_{of}{'_stays' * (low == high)}", low=low, high=high)


def _simulated(noisy: Noisy, place: Place) -> str:
    rows = noisy.simulated[noisy.simulated["measure"] == "posterior"]
    row = rows[rows["epsilon"] == noisy.noises.index[0]].iloc[0]
    points = place.voice.numbers.points(row["bound"])
    bound = place.voice.points(points, row["bound"])
    model = _named(row["model"], place)
    return place.say("simulated", row, model=model, bound=bound)


def _pairs_heading(noisy: Noisy, place: Place) -> str:
    """Write how many pairs leak, and which count tells most of another attribute."""
    rows = _different(noisy)
    most = _most(rows, LOSS)
    n_leaking = int((rows[LOSS].map(_is_none) == 0).sum())
    before, after = _chances(most, place.voice)
    kind = "" if before != after else "_hardly"
    kind = kind if n_leaking else "_none"
    counts = {"n_leaking": n_leaking, "n_pairs": len(rows)}
    return place.say(f"pairs_heading{kind}", most, **counts)


def _pairs_sentences(noisy: Noisy, place: Place) -> Iterator[str]:
    rows = _different(noisy)
    most = _most(rows, _LIMIT)
    if not _is_none(most[_LIMIT]):
        yield place.say("pairs_example", most)
    n_safe = int((rows[_FROM] == 0).sum())
    yield place.say("pairs_safe", n_safe=n_safe, n_pairs=len(rows))
    found = rows["scenario"].value_counts()
    told = (
        place.say(
            "pairs_of_scenario",
            letter=letter,
            words=place.say(f"scenario_{letter}"),
            number=int(found[letter]),
        )
        for letter in SCENARIOS
        if letter in found
    )
    yield place.say("pairs_scenarios", scenarios="; ".join(told))


def _different(noisy: Noisy) -> pd.DataFrame:
    """Return the pairs of two attributes, with the epsilon that is shown."""
    rows = noisy.shown_pairs
    return rows[rows["sensitive"] != rows["useful"]].reset_index(drop=True)


def _most(rows: pd.DataFrame, column: str) -> pd.Series:
    return rows.loc[rows[column].astype(float).idxmax()]


def _grids(noisy: Noisy, place: Place) -> Iterator[Grid]:
    if not noisy.has_count:
        yield _pairs(noisy, place)
        return
    yield _measures(noisy, place)
    yield _errors(noisy, place)
    yield _numbers(noisy, place)
    if noisy.has_samples:
        yield _samples(noisy, place)


def _short(model: str, place: Place) -> str:
    return place.voice.say(f"figure.mechanism_short_{model}")


def _measures(noisy: Noisy, place: Place) -> Grid:
    """Lay out privacy loss and utility as Table 6.5 does, a row an epsilon."""
    # Its theoretical minimum and maximum stand at the ends, and beside them those that
    # the count can reach.
    write, first = place.voice.numbers.five_decimals, noisy.first
    of_model = {model: noisy.of_model(model) for model in noisy.models}

    def written(bound: Any) -> str:
        return write(first[bound] if isinstance(bound, str) else bound)

    bounds = [
        (place.say(f"row_{name}"), *([*map(written, pair)] * len(of_model)))
        for name, pair in _BOUNDS.items()
    ]
    measures = (
        (
            place.voice.numbers.epsilon(epsilon),
            *(write(r.loc[epsilon, m]) for r in of_model.values() for m in MEASURES),
        )
        for epsilon in noisy.noises.index
    )
    return Grid(
        caption=place.say("caption_of_epsilon"),
        headings=(
            *place.voice.columns("page", "epsilon"),
            *(
                place.say(
                    "column_of_model",
                    model=_short(model, place),
                    measure=place.say(f"column_{measure}"),
                )
                for model in of_model
                for measure in MEASURES
            ),
        ),
        rows=(*bounds[:2], *measures, *bounds[2:]),
    )


def _errors(noisy: Noisy, place: Place) -> Grid:
    numbers = place.voice.numbers
    errors = [noisy.of_model(model)["absolute_error"] for model in noisy.models]
    return Grid(
        caption=place.say("caption_of_error"),
        headings=(
            *place.voice.columns("page", "epsilon"),
            *(_short(model, place) for model in noisy.models),
        ),
        rows=tuple(
            (numbers.epsilon(epsilon), *(numbers.ratio(e.loc[epsilon]) for e in errors))
            for epsilon in noisy.noises.index
        ),
    )


def _numbers(noisy: Noisy, place: Place) -> Grid:
    """Lay out each number of the first mechanism beside its definition."""
    model, numbers = noisy.models[0], place.voice.numbers
    _, row = noisy.ends(model)
    texts = place.voice.texts["mechanism_numbers"]
    rows = [
        {
            **texts[name],
            "value": numbers.ratio(row[name])
            if name == "absolute_error"
            else numbers.five_decimals(row[name]),
        }
        for name in _FROM_ALL
    ]
    said = {
        "model": place.voice.say(f"figure.mechanism_{model}"),
        "epsilon": row["epsilon"],
    }
    columns = ("name=term", "definition=text", "value")
    return place.grid(
        pd.DataFrame(rows), columns, "caption_of_numbers", said, n_texts=2
    )


def _samples(noisy: Noisy, place: Place) -> Grid:
    rows = pd.concat(
        noisy.of_samples(model, measure)
        for model in noisy.models
        for measure in (LOSS, UTILITY)
    )
    columns: list[GridColumn] = [
        "epsilon:epsilon",
        ("model", lambda row: _short(row["model"], place)),
        ("measure", lambda row: place.say(f"column_{row['measure']}")),
        *(f"{name}:five_decimals" for name in _SPREAD),
    ]
    key = "caption_of_samples"
    return place.grid(rows, columns, key, missing=NOTHING, n_texts=3, is_folded=True)


def _pairs(noisy: Noisy, place: Place) -> Grid:
    columns: list[GridColumn] = [
        *("sensitive", "useful", "scenario", _FROM, "useful_from_sensitive"),
        *("prior:five_decimals", "posterior:five_decimals"),
        *("privacy_loss:five_decimals", "privacy_loss_limit:five_decimals"),
        ("n_leaking", lambda row: place.say("leaking", row)),
    ]
    rows = noisy.shown_pairs
    return place.grid(rows, columns, "caption_of_pairs", n_texts=3, is_folded=True)


def _words(noisy: Noisy) -> tuple[str, ...]:
    """Name the words that a part uses: of mechanisms its own, and of pairs theirs."""
    models = noisy.models or ["oblivious"]
    own = ["samples"] * noisy.has_samples if noisy.has_count else ["pairs"]
    return ("adversary", "epsilon", *models, "scenario", *own)


SHOWN = EachAnalysis(
    "mechanism",
    tables=("mechanism", "samples", "simulated", "pairs"),
    found=Noisy,
    kicker=lambda noisy: f"kicker{'' if noisy.has_count else '_pairs'}",
    heading=_heading,
    measured=_measured,
    drawings=lambda noisy: {kind: DRAW[kind] for kind in kinds(noisy)},
    releases=lambda noisy: main_release(noisy.measured),
    sentences=_sentences,
    grids=_grids,
    words=_words,
)
