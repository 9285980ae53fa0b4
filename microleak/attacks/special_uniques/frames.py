"""Special uniques, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.special_uniques.analysis import SpecialUniques
from microleak.attacks.special_uniques.measure import TABLES, special_unique_tables
from microleak.attacks.special_uniques.section import check_number
from microleak.records.call import TABLE, check_names, people_of, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Special(Result):
    """What `special_uniques` found: tables of a study with these names.

    Attributes
    ----------
    special_uniques
        Minimal sample uniques, a row a number of QIDs.
    suda_scores
        Records by their score, in classes.
    suda_attributes, suda_values
        What each QID, and each value of those that have few, contributes to the scores.
    """

    special_uniques: pd.DataFrame
    suda_scores: pd.DataFrame
    suda_attributes: pd.DataFrame
    suda_values: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw how many records stand out by how many attributes at least."""
        from microleak.attacks.special_uniques.report import UniquesShown, size_bars
        from microleak.report.texts import voice

        kinds = ("special_uniques", "suda_scores", "suda_attributes")
        tables = [
            with_study(self.tables[kind], TABLES[kind], analysis="special_uniques")
            for kind in kinds
        ]
        return size_bars(
            UniquesShown(*tables), voice(LANGUAGE).words(is_synthetic=False)
        )

    def _summary(self) -> pd.DataFrame:
        return self.special_uniques[["size", "n_minimal", "n_special", "n_smallest"]]


def special_uniques(frame: Any, qids: Sequence[str], *, n_threads: int = 1) -> Special:
    """Find all minimal sample uniques of every record, and score them (SUDA).

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids
        Up to 16 columns, all of whose sets are tried. A missing value is a value like
        any other.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    Special
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, there are too many, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = special_uniques(people, ["a", "b", "c"])
    >>> found.suda_attributes[["qid", "n_minimal", "contribution_elliot"]]
      qid  n_minimal  contribution_elliot
    0   a          3                0.500
    1   b          2                0.375
    2   c          2                0.375
    """
    check_names("special_uniques", qids=qids)
    arguments = {
        "name": "special_uniques",
        "table": TABLE,
        "focal": TABLE,
        "qids": qids,
    }
    analysis = analysis_of(SpecialUniques, "special_uniques", arguments)
    check_number(analysis, "special_uniques")
    with room_to_work("special_uniques", n_threads) as resources:
        people = people_of("special_uniques", frame, qids, "the frame")
        found = special_unique_tables(people.table, analysis, resources)
    return Special(**{n: without_study(rows, TABLES[n]) for n, rows in found.items()})
