"""An attack on one person of a frame."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.targets.measure import attack_chunks
from microleak.attacks.targets.section import Target, TargetSection
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import RELEASE, TABLE, check_names
from microleak.records.chunks import TableChunks
from microleak.study_file.call import roughly_of


@on_frames(
    TargetSection,
    "Targeted",
    positional=("sensitive", "further", "roughly"),
    left_out=("target", "auxiliary"),
    shown=(
        *("sensitive", "outcome", "n_records", "block_size"),
        *("posterior_det", "prior_prob", "posterior_prob"),
    ),
    _svg=lambda _: "",
)
def target(
    call: Call,
    frame: Any,
    known: Mapping[str, object],
    *,
    further: Sequence[str] = (),
    roughly: Mapping[str, Mapping[str, Any]] | None = None,
) -> Tables:
    """Attack one person of whom some values are known (Nunes, IRS and IAS).

    Parameters
    ----------
    known
        Values that the adversary knows, by column, of the column's type or as texts;
        None is a missing value.
    further
        Columns that might be learned next.
    roughly
        How columns of `known` are known that are not known exactly, as in
        `microleak.rough_knowledge`.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 25, 60], "ill": ["yes", "yes", "no"]})
    >>> found = target(people, known={"age": 25}, sensitive=["ill"])
    >>> found.target[["sensitive", "most_likely", "block_size", "posterior_prob"]]
      sensitive most_likely  block_size  posterior_prob
    0                                 2             0.5
    1       ill         yes           2             1.0
    """
    if not isinstance(known, Mapping) or not known:
        raise StudyError('target: known has values by column, as {"age": 25}.')
    sensitive = call.columns("sensitive")
    check_names("target", known=[*known], sensitive=sensitive, further=further)
    people = call.people(frame, [*known, *sensitive, *further])
    values = {n: people.text("target", n, value) for n, value in known.items()}
    rough = roughly_of("target", roughly or {}, known, "known", people)
    who = Target(
        name="target",
        table=TABLE,
        focal=RELEASE,
        known={RELEASE: values},
        sensitive=tuple(sensitive),
        further=tuple(further),
        roughly=rough,
    )
    return attack_chunks(TableChunks(people.table), who)
