"""An attack on one person of a frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.targets.analysis import Target
from microleak.attacks.targets.attack import TABLES, attack_chunks
from microleak.base.errors import StudyError
from microleak.records.call import RELEASE, TABLE, check_names, in_words_of, people_of
from microleak.records.chunks import TableChunks
from microleak.study_file.call import roughly_of
from microleak.tables.result import Result, without_study
from microleak.tables.spec import TableSpec

_OF_STUDY = ("target", "auxiliary")


@dataclass(frozen=True, repr=False, eq=False)
class Targeted(Result):
    """What `target` found: the tables of one target (docs/results.md).

    Attributes
    ----------
    target
        Re-identification, with an empty `sensitive`, and then the inference of each
        sensitive attribute. `most_likely` has values that the person may have; a
        notebook shows them only if the table is asked for.
    further
        How much each further attribute would narrow the records that the person may
        be, the best first.
    """

    target: pd.DataFrame
    further: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def _summary(self) -> pd.DataFrame:
        return self.target[
            [
                *("sensitive", "outcome", "n_records", "block_size"),
                *("posterior_det", "prior_prob", "posterior_prob"),
            ]
        ]


def target(
    frame: Any,
    known: Mapping[str, object],
    sensitive: Sequence[str] = (),
    further: Sequence[str] = (),
    roughly: Mapping[str, Mapping[str, Any]] | None = None,
) -> Targeted:
    """Attack one person of whom some values are known (Nunes, IRS and IAS).

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    known
        Values that the adversary knows, by column, of the column's type or as texts;
        None is a missing value.
    sensitive
        Columns that the adversary wants to infer.
    further
        Columns that might be learned next.
    roughly
        How columns of `known` are known that are not known exactly, as in
        `microleak.rough_knowledge`.

    Returns
    -------
    Targeted
        Tables as attributes, with no known value in them.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, has two roles, or cannot have the value known.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 25, 60], "ill": ["yes", "yes", "no"]})
    >>> found = target(people, known={"age": 25}, sensitive=["ill"])
    >>> found.target[["sensitive", "most_likely", "block_size", "posterior_prob"]]
      sensitive most_likely  block_size  posterior_prob
    0                                 2             0.5
    1       ill         yes           2             1.0
    """
    if not isinstance(known, Mapping) or not known:
        raise StudyError('target: known has values by column, as {"age": 25}.')
    check_names("target", known=[*known], sensitive=sensitive, further=further)
    with in_words_of("target"):
        people = people_of("target", frame, [*known, *sensitive, *further])
        values = {n: people.text("target", n, value) for n, value in known.items()}
        who = Target(
            name="target",
            table=TABLE,
            focal=RELEASE,
            known={RELEASE: values},
            sensitive=tuple(sensitive),
            further=tuple(further),
            roughly=roughly_of("target", roughly or {}, known, "known", people),
        )
        found = vars(attack_chunks(TableChunks(people.table), who))
    return Targeted(
        **{n: without_study(rows, TABLES[n], _OF_STUDY) for n, rows in found.items()}
    )
