"""What noise buys and costs where counts of a frame are published with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.mechanism.analysis import Mechanism
from microleak.attacks.mechanism.contingency import count_pairs
from microleak.attacks.mechanism.measure import TABLES, mechanism_tables
from microleak.attacks.mechanism.section import consistent
from microleak.base.errors import StudyError
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    people_of,
    room_to_work,
)
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class NoisyCounts(Result):
    """What `mechanism` found: tables of a study with these names (docs/results.md).

    Attributes
    ----------
    mechanism
        Privacy loss and utility of one count, a row a model and epsilon.
    pairs
        The same of the counts of every pair of attributes; one of these two is empty.
    samples, simulated
        One count on random samples, and guesses from random noisy counts.
    """

    mechanism: pd.DataFrame
    pairs: pd.DataFrame
    samples: pd.DataFrame
    simulated: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw privacy loss and utility over epsilon, or the loss of every pair."""
        from microleak.attacks.mechanism.figures import (
            loss_and_utility,
            loss_of_pairs,
        )
        from microleak.attacks.mechanism.rows import Noisy
        from microleak.report.texts import voice

        noisy = Noisy(
            *(
                with_study(self.tables[kind], TABLES[kind], analysis="mechanism")
                for kind in ("mechanism", "samples", "simulated", "pairs")
            )
        )
        draw = loss_and_utility if noisy.has_count else loss_of_pairs
        return draw(noisy, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        if len(self.mechanism):
            names = [
                "model",
                "epsilon",
                "prior",
                "posterior",
                "privacy_loss",
                "utility",
            ]
            return self.mechanism[names]
        names = ["sensitive", "useful", "epsilon", "privacy_loss", "privacy_loss_limit"]
        return self.pairs.sort_values("privacy_loss", ascending=False)[names]


def mechanism(
    frame: Any,
    epsilons: Sequence[str | float],
    *,
    sensitive: str | None = None,
    useful: str | None = None,
    predicate: Mapping[str, Any] | None = None,
    models: Sequence[str] | None = None,
    order: Sequence[object] | Mapping[str, Sequence[int]] | None = None,
    attributes: Sequence[str] | None = None,
    filter: Mapping[str, Sequence[object]] | None = None,  # noqa: A002, as the key
    samples: Mapping[str, int] | None = None,
    simulated: Mapping[str, int] | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> NoisyCounts:
    """Measure what noisy counts tell of a record, and of the count (Nunes, ch. 6).

    Either one count is measured (`sensitive`, `useful`, `predicate` and `models`), or
    the counts of every value of each pair of `attributes`, in both directions.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    epsilons
        How little noise there is: `"ln 3"`, `"ln 10^5"` or numbers above 0.
    sensitive, useful
        Column that the adversary infers, and column whose values are counted; they may
        be the same.
    predicate
        Which records are counted by their useful value: `{"equals": "high"}`, or `in`,
        `greater` or `between`. Values are of the column's type, or texts.
    models
        `"oblivious"`, `"local"` and `"randomised_response"`, some or all.
    order
        All values that the useful column can have, from low to high, or
        `{"integers": [6, 82]}`. `greater`, `between` and `local` need an order, which
        columns of integers have.
    attributes
        Columns of which every pair is measured.
    filter
        Values to keep by column; only records that have one of them count.
    samples, simulated
        `{"number": 200, "size": 2000}` measures one count on random samples too,
        `{"draws": 100000}` guesses from random noisy counts.
    seed
        Number from which random choices follow.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    NoisyCounts
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If arguments contradict one another, a column does not exist, or the predicate
        is true of no record.

    Examples
    --------
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
    if isinstance(epsilons, str) or isinstance(attributes, str):
        raise StudyError('mechanism: epsilons and attributes are lists, as ["ln 3"].')
    names = [*(attributes or ()), *(n for n in (sensitive, useful) if n is not None)]
    if not names:
        raise StudyError(
            "mechanism: give either sensitive, useful, predicate and models, or "
            "attributes."
        )
    check_names("mechanism", columns=list(dict.fromkeys(names)))
    with room_to_work("mechanism", n_threads) as resources:
        people = people_of("mechanism", frame, [*names, *(filter or {})])
        arguments = {
            "name": "mechanism",
            "table": TABLE,
            "focal": RELEASE,
            "epsilons": [
                each if isinstance(each, str) else str(each) for each in epsilons
            ],
            "sensitive": sensitive,
            "useful": useful,
            "predicate": _texts(people, useful, predicate),
            "models": models,
            "order": _order(people, useful, order),
            "attributes": attributes,
            "filter": {
                name: people.texts("mechanism", name, values)
                for name, values in (filter or {}).items()
            },
            "samples": samples,
            "simulated": simulated,
        }
        analysis = analysis_of(Mechanism, "mechanism", arguments)
        analysis = consistent(analysis, "mechanism")
        counts = resources.scratch / "contingency.parquet"
        count_pairs(people.table, analysis.counted, False, resources, counts)
        found = vars(mechanism_tables(counts, analysis, seed))
    return NoisyCounts(
        **{n: without_study(rows, TABLES[n]) for n, rows in found.items()}
    )


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


def _order(people: People, useful: str | None, order: Any) -> Any:
    """Return an order of values as texts; one of integers as it is."""
    if useful is None or order is None or isinstance(order, (str, Mapping)):
        return order
    return people.texts("mechanism", useful, order)
