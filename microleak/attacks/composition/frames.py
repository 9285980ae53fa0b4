"""Several noisy counts with one budget, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.composition.analysis import Composition
from microleak.attacks.composition.measure import TABLES, composition_table
from microleak.attacks.composition.section import check_epsilons
from microleak.base.errors import StudyError
from microleak.records.call import TABLE, check_names, people_of, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Composed(Result):
    """What `composition` found: a table of a study with this name (docs/results.md).

    Attributes
    ----------
    composition
        What the counts leak together, a row an epsilon and number of counts.
    """

    composition: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw the chance to guess over the number of counts."""
        from microleak.attacks.composition.report import chance_by_counts
        from microleak.report.texts import voice

        spec = TABLES["composition"]
        rows = with_study(self.tables["composition"], spec, analysis="composition")
        return chance_by_counts(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["epsilon", "n_counts", "prior", "posterior", "posterior_bound"]
        return self.composition[names]


def composition(
    frame: Any,
    sensitive: str,
    counts: Sequence[tuple[str, Sequence[object]]],
    epsilons: Sequence[str],
) -> Composed:
    """Measure what several noisy counts with one budget leak together.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    sensitive
        What is inferred from the counts.
    counts
        Of each count a column and its values that are counted; None is a missing one.
    epsilons
        Budgets of all counts together, as `"ln 3"` or `"0.5"`.

    Returns
    -------
    Composed
        The table as an attribute.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, an epsilon is none, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 25, 60, 60], "ill": ["n", "n", "y", "y"]})
    >>> asked = [("ill", ["y"]), ("age", [60])]
    >>> found = composition(people, "ill", asked, ["ln 9"]).composition
    >>> found[["n_counts", "posterior", "posterior_bound"]]
       n_counts  posterior  posterior_bound
    0         1       0.90              0.9
    1         2       0.75              0.9
    """
    pairs = counts if isinstance(counts, Sequence) else [()]
    if not all(isinstance(each, Sequence) and len(each) == 2 for each in pairs):
        raise StudyError(
            'composition: counts are pairs of a column and values, as [("age", [25])].'
        )
    names = list(dict.fromkeys((sensitive, *(name for name, _ in counts))))
    check_names("composition", sensitive=[sensitive])
    with room_to_work("composition") as resources:
        people = people_of("composition", frame, names, "the frame")
        arguments = {
            "name": "composition",
            "table": TABLE,
            "focal": TABLE,
            "sensitive": sensitive,
            "counts": [
                {"attribute": name, "values": people.texts("composition", name, values)}
                for name, values in counts
            ],
            "epsilons": epsilons,
        }
        analysis = analysis_of(Composition, "composition", arguments)
        check_epsilons(analysis, "composition")
        table = composition_table(people.table, analysis, resources)
    return Composed(without_study(table, TABLES["composition"]))
