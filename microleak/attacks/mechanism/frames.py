"""What noise buys and costs where counts of a frame are published with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.mechanism.contingency import count_pairs
from microleak.attacks.mechanism.measure import mechanism_tables
from microleak.attacks.mechanism.section import Mechanism
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import People, check_names


@on_frames(
    Mechanism,
    "NoisyCounts",
    tables=("mechanism", "pairs", "samples", "simulated"),
    shown=(
        *("model", "epsilon", "prior", "posterior", "privacy_loss"),
        *("privacy_loss_limit", "utility"),
    ),
)
def mechanism(
    call: Call,
    frame: Any,
    *,
    epsilons: Sequence[str | float],
    predicate: Mapping[str, Any] | None = None,
    order: Sequence[object] | Mapping[str, Sequence[int]] | None = None,
    seed: int = 0,
    n_threads: int | None = None,
) -> Tables:
    """Measure what noisy counts tell of a record, and of the count (Nunes, ch. 6).

    Either one count is measured (`sensitive`, `useful`, `predicate` and `models`), or
    the counts of every value of each pair of `attributes`, in both directions. Values
    are of the column's type, or texts.

    Parameters
    ----------
    seed
        Number from which random choices follow.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"ill": ["yes", "no", "no", "no"]})
    >>> found = mechanism(
    ...     people,
    ...     epsilons=["ln 3"],
    ...     sensitive="ill",
    ...     useful="ill",
    ...     predicate={"equals": "yes"},
    ...     models=["oblivious"],
    ... )
    >>> found.mechanism[["epsilon", "prior", "n_matching"]]
      epsilon  prior  n_matching
    0    ln 3   0.75           1
    """
    if isinstance(epsilons, str) or isinstance(call.keys.get("attributes"), str):
        raise StudyError('mechanism: epsilons and attributes are lists, as ["ln 3"].')
    names = list(dict.fromkeys(call.columns("attributes", "sensitive", "useful")))
    if not names:
        raise StudyError(
            "mechanism: give either sensitive, useful, predicate and models, or "
            "attributes."
        )
    check_names("mechanism", columns=names)
    people = call.people(frame, [*names, *call.keys.get("filter", ())])
    useful = call.keys.get("useful")
    if useful and order is not None and not isinstance(order, (str, Mapping)):
        order = people.texts("mechanism", useful, order)
    analysis = call.analysis(
        people,
        epsilons=list(map(str, epsilons)),
        predicate=_texts(people, useful, predicate),
        order=order,
    )
    counts = call.resources.scratch / "contingency.parquet"
    count_pairs(people.table, analysis.counted, False, call.resources, counts)
    return mechanism_tables(counts, analysis, seed)


def _texts(
    people: People, useful: str | None, predicate: Mapping[str, Any] | None
) -> Any:
    """Return a predicate with values as the useful column has them as texts."""
    if useful is None or not isinstance(predicate, Mapping):
        return predicate
    return {
        kind: people.texts("mechanism", useful, value)
        if isinstance(value, (list, tuple))
        else people.text("mechanism", useful, value)
        for kind, value in predicate.items()
    }
