"""What a noisy count gives away, and what it is still worth, as sentences."""

from collections.abc import Iterator, Sequence

import pandas as pd

from microleak.attacks.mechanism.rows import LOSS, UTILITY, Noisy, measure_text
from microleak.figures.numbers import epsilon_equals, epsilon_text
from microleak.records.record_filter import split_values
from microleak.report.texts import Voice, four_digits, predicate_text

_NONE = 1.000005
"""Below it a privacy loss is 1 to the five decimals that are shown."""


def epsilon_of(row: pd.Series, voice: Voice) -> str:
    """Write which epsilon is a row's name."""
    return epsilon_equals(str(row.name), voice.numbers)


def epsilons(names: Sequence[str], voice: Voice) -> str:
    """Write some epsilons as a list."""
    return ", ".join(epsilon_text(name, voice.numbers) for name in names)


def is_none(loss: float) -> bool:
    """Say whether a privacy loss is shown as 1."""
    return bool(loss < _NONE)


def chances(row: pd.Series, voice: Voice) -> tuple[str, str]:
    """Write the chances to guess without and with a count."""
    share = voice.numbers.share
    return share(row["prior"]), share(row["posterior"])


def names_of(noisy: Noisy, voice: Voice) -> dict[str, str]:
    """Name the two attributes of a count, for the placeholders of a phrase."""
    return {
        name: voice.attribute(noisy.first[name]) for name in ("sensitive", "useful")
    }


def model_name(model: str, voice: Voice) -> str:
    """Name a mechanism, and where it adds its noise."""
    return voice.say(f"figure.mechanism_{model}")


_FROM, _BACK = "sensitive_from_useful", "useful_from_sensitive"
_OF_MEAN = ("mean", "mean_low", "mean_high")


def measured(noisy: Noisy, voice: Voice) -> tuple[str, ...]:
    """Say what was counted, of which records, and with how much noise."""
    row = noisy.first
    return (
        voice.say(
            "mechanism.measured",
            **{name: row[name] for name in ("analysis", "table", "focal")},
            n_records=voice.numbers.count(row["n_records"]),
            models=", ".join(model_name(model, voice) for model in noisy.models),
            epsilons=epsilons(list(noisy.noises.index), voice),
        ),
        voice.say(
            "mechanism.measured_count",
            useful=voice.explained(row["useful"]),
            predicate=predicate_text(*_predicate(row), voice),
            n_matching=voice.numbers.count(row["n_matching"]),
            sensitive=voice.explained(row["sensitive"]),
        ),
    )


def _predicate(row: pd.Series) -> tuple[str, tuple[str | None, ...]]:
    return row["predicate"], split_values(row["predicate_values"])


def heading(noisy: Noisy, voice: Voice) -> str:
    """Say how the chance to guess changes, with most noise and where it tells most.

    It is the chance of an adversary who knows all other records, with the first
    mechanism of the study.
    """
    low, _ = noisy.ends(noisy.models[0])
    high = noisy.most_telling(noisy.models[0])
    (before, least), (_, most) = chances(low, voice), chances(high, voice)
    return voice.say(
        f"mechanism.heading_{_found(low, high, voice)}",
        **names_of(noisy, voice),
        model=voice.say(f"mechanism.named_{noisy.models[0]}"),
        predicate=predicate_text(*_predicate(low), voice),
        n_records=voice.numbers.count(low["n_records"]),
        prior=before,
        low=least,
        high=most,
        epsilon_low=epsilon_of(low, voice),
        epsilon_high=epsilon_of(high, voice),
        loss=measure_text(high[LOSS], voice.numbers),
    )


def _found(low: pd.Series, high: pd.Series, voice: Voice) -> str:
    """Name what the heading can say: of both ends, of one of them, or of none.

    It is decided by the chances as they are shown.
    """
    (before, least), (_, most) = chances(low, voice), chances(high, voice)
    if before == most:
        return "none" if is_none(high[LOSS]) else "hardly"
    if least not in (before, most):
        return "both"
    return "late" if before == least and is_none(low[LOSS]) else "high"


def sentences(noisy: Noisy, voice: Voice) -> Iterator[str]:
    """Yield the further findings."""
    return filter(None, _sentences(noisy, voice))


def _sentences(noisy: Noisy, voice: Voice) -> Iterator[str]:
    yield _useful(noisy, voice)
    for model in noisy.models[1:]:
        yield _other(noisy, model, voice)
    yield _correlated(noisy, voice)
    yield _scenario(noisy, voice)
    yield _limits(noisy, voice)
    yield _exceeding(noisy, voice)
    yield _samples(noisy, voice)
    yield _simulated(noisy, voice)


def _useful(noisy: Noisy, voice: Voice) -> str:
    """Say what the count is worth to the analyst."""
    low, high = noisy.ends(noisy.models[0])
    return voice.say(
        "mechanism.useful",
        low=voice.numbers.share(low[UTILITY]),
        high=voice.numbers.share(high[UTILITY]),
        floor=voice.numbers.share(low["utility_floor"]),
        epsilon_low=epsilon_of(low, voice),
        epsilon_high=epsilon_of(high, voice),
    )


def _other(noisy: Noisy, model: str, voice: Voice) -> str:
    """Say what another mechanism buys and costs with the same epsilons."""
    low, high = noisy.ends(model)
    posteriors = (chances(low, voice)[1], chances(high, voice)[1])
    utilities = (voice.numbers.share(low[UTILITY]), voice.numbers.share(high[UTILITY]))
    return voice.say(
        "mechanism.other",
        model=model_name(model, voice),
        epsilon_low=epsilon_of(low, voice),
        epsilon_high=epsilon_of(high, voice),
        chance=_course("chance", posteriors, voice),
        utility=_course("utility", utilities, voice),
    )


def _course(of: str, ends: tuple[str, str], voice: Voice) -> str:
    """Say between which shares a chance goes, or at which it stays as shown."""
    low, high = ends
    if low == high:
        return voice.say(f"mechanism.other_{of}_stays", low=low)
    return voice.say(f"mechanism.other_{of}", low=low, high=high)


def _correlated(noisy: Noisy, voice: Voice) -> str:
    """Say what the count tells of an attribute that it does not count."""
    _, row = noisy.ends(noisy.models[0])
    return voice.say(
        f"mechanism.{_relation(row)}",
        **names_of(noisy, voice),
        errors=voice.numbers.share(row[_FROM]),
        loss=measure_text(row[LOSS], voice.numbers),
        limit=measure_text(row["privacy_loss_limit"], voice.numbers),
        epsilon=epsilon_of(row, voice),
    )


def _relation(row: pd.Series) -> str:
    """Name how the count tells of the sensitive attribute."""
    if row["sensitive"] == row["useful"]:
        return "itself"
    if row[_FROM] == 0:
        return "independent"
    return "not_here" if is_none(row["privacy_loss_limit"]) else "correlated"


def _scenario(noisy: Noisy, voice: Voice) -> str:
    """Say the scenario in the paper's words, with the numbers that decide it."""
    row = noisy.first
    if not row["scenario"]:
        return ""
    is_itself = row["sensitive"] == row["useful"]
    return voice.say(
        f"mechanism.scenario{'_itself' if is_itself else ''}",
        **names_of(noisy, voice),
        letter=row["scenario"],
        words=voice.say(f"mechanism.scenario_{row['scenario']}"),
        errors=voice.numbers.share(row[_FROM]),
        errors_back=voice.numbers.share(row[_BACK]),
    )


def _limits(noisy: Noisy, voice: Voice) -> str:
    """Say the bounds that the paper prints and those that a count can reach."""
    row = noisy.first
    return voice.say(
        "mechanism.limits",
        useful=voice.attribute(row["useful"]),
        limit=measure_text(row["privacy_loss_limit"], voice.numbers),
        printed=measure_text(row["privacy_loss_limit_printed"], voice.numbers),
        floor=measure_text(row["utility_floor"], voice.numbers),
        floor_printed=measure_text(row["utility_floor_printed"], voice.numbers),
    )


def _exceeding(noisy: Noisy, voice: Voice) -> str:
    """Say that the local mechanism may lose more than the count without noise."""
    if "local" not in noisy.models:
        return ""
    return voice.say(
        "mechanism.limits_local", useful=voice.attribute(noisy.first["useful"])
    )


def _samples(noisy: Noisy, voice: Voice) -> str:
    """Say where the loss of random samples lies with the least noise."""
    if not noisy.has_samples:
        return ""
    model = noisy.models[0]
    row = noisy.of_samples(model, LOSS).iloc[-1]
    whole = noisy.ends(model)[1]
    are_equal = pd.isna(row["mean_low"])
    return voice.say(
        "mechanism.samples_equal" if are_equal else "mechanism.samples",
        n_samples=voice.numbers.count(row["n_samples"]),
        n_sampled=voice.numbers.count(row["n_sampled"]),
        model=voice.say(f"mechanism.named_{model}"),
        epsilon=epsilon_of(row, voice),
        **{name: measure_text(row[name], voice.numbers) for name in _OF_MEAN},
        low=four_digits(row["low"], voice),
        high=four_digits(row["high"], voice),
        whole=four_digits(whole[LOSS], voice),
    )


def _simulated(noisy: Noisy, voice: Voice) -> str:
    """Say how often the adversary guessed right from random counts, with most noise."""
    rows = noisy.simulated
    if rows.empty:
        return ""
    of_adversary = rows[rows["measure"] == "posterior"].set_index("epsilon")
    row = of_adversary.loc[noisy.noises.index[0]]
    return voice.say(
        "mechanism.simulated",
        n_draws=voice.numbers.count(row["n_draws"]),
        model=voice.say(f"mechanism.named_{row['model']}"),
        epsilon=epsilon_of(row, voice),
        simulated=voice.numbers.share(row["simulated"]),
        exact=voice.numbers.share(row["exact"]),
        bound=voice.points(voice.numbers.points(row["bound"]), row["bound"]),
    )


SCENARIOS = ("A", "B", "C", "D")
"""Letters of Nunes' Example 33."""

_PAIRED_FROM, _LIMIT = "sensitive_from_useful", "privacy_loss_limit"


def measured_pairs(noisy: Noisy, voice: Voice) -> tuple[str, ...]:
    """Say which attributes of which records were paired."""
    row = noisy.first
    return (
        voice.say(
            "mechanism.measured_pairs",
            **{name: row[name] for name in ("analysis", "table", "focal")},
            n_records=voice.numbers.count(row["n_records"]),
            epsilons=epsilons(list(noisy.pairs["epsilon"].unique()), voice),
            names=voice.listing(map(voice.explained, noisy.attributes)),
        ),
    )


def pairs_heading(noisy: Noisy, voice: Voice) -> str:
    """Say how many pairs leak, and which count tells most of another attribute."""
    rows = _different(noisy)
    most = _most(rows, LOSS)
    n_leaking = int((rows[LOSS].map(is_none) == 0).sum())
    return voice.say(
        f"mechanism.pairs_heading{_found_of_pairs(most, n_leaking, voice)}",
        epsilon=epsilon_equals(noisy.middle, voice.numbers),
        n_leaking=voice.numbers.count(n_leaking),
        n_pairs=voice.numbers.count(len(rows)),
        sensitive=voice.attribute(most["sensitive"]),
        useful=voice.attribute(most["useful"]),
        prior=voice.numbers.share(most["prior"]),
        posterior=voice.numbers.share(most["posterior"]),
        loss=measure_text(most[LOSS], voice.numbers),
        limit=measure_text(most[_LIMIT], voice.numbers),
    )


def _found_of_pairs(most: pd.Series, n_leaking: int, voice: Voice) -> str:
    """Name what the heading can say of the count that tells most."""
    if not n_leaking:
        return "_none"
    before, after = chances(most, voice)
    return "_hardly" if before == after else ""


def pairs_sentences(noisy: Noisy, voice: Voice) -> Iterator[str]:
    """Yield the further findings."""
    rows = _different(noisy)
    yield from _example(rows, voice)
    n_safe = int((rows[_PAIRED_FROM] == 0).sum())
    yield voice.say(
        "mechanism.pairs_safe",
        n_safe=voice.numbers.count(n_safe),
        n_pairs=voice.numbers.count(len(rows)),
    )
    found = rows["scenario"].value_counts()
    told = "; ".join(
        voice.say(
            "mechanism.pairs_of_scenario",
            letter=letter,
            words=voice.say(f"mechanism.scenario_{letter}"),
            number=voice.numbers.count(found[letter]),
        )
        for letter in SCENARIOS
        if letter in found
    )
    yield voice.say("mechanism.pairs_scenarios", scenarios=told)


def _example(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Tell of the count that without noise leaks another attribute most."""
    most = _most(rows, _LIMIT)
    if is_none(most[_LIMIT]):
        return
    yield voice.say(
        "mechanism.pairs_example",
        sensitive=voice.attribute(most["sensitive"]),
        useful=voice.attribute(most["useful"]),
        errors=voice.numbers.share(most[_PAIRED_FROM]),
        limit=measure_text(most[_LIMIT], voice.numbers),
    )


def _different(noisy: Noisy) -> pd.DataFrame:
    """Return the pairs of two attributes, with the epsilon that is shown."""
    rows = noisy.shown_pairs
    return rows[rows["sensitive"] != rows["useful"]].reset_index(drop=True)


def _most(rows: pd.DataFrame, column: str) -> pd.Series:
    """Return the row with the largest number in a column."""
    return rows.loc[rows[column].astype(float).idxmax()]
