"""Attacks on a frame that somebody else protected or made."""

from typing import Any

from microleak.attacks.published_file.measure import published_tables
from microleak.attacks.published_file.section import PublishedFile
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import TABLE


@on_frames(
    PublishedFile,
    "Published",
    left_out=("published",),
    shown=("qids", "n_alone", "n_singled_out", "n_one_candidate", "linked"),
)
def published_file(
    call: Call,
    frame: Any,
    published: Any,
    *,
    control: Any = None,
    n_threads: int | None = None,
) -> Tables:
    """Attack a frame that somebody else protected or made of another.

    Parameters
    ----------
    frame
        Records before, one a person, as `microleak.assess` takes it.
    published
        Records as they are published, whose columns have the same names; rows need not
        be in order, nor as many.
    control
        Records of people of the same kind who are in neither.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60], "ill": ["y", "n", "n", "y"]})
    >>> arx = pd.DataFrame({"age": ["[20, 40[", "*", "[60, 80["], "ill": [*"yny"]})
    >>> found = published_file(people, arx, ["age"], sensitive=["ill"])
    >>> found.published_file[["n_alone", "n_singled_out", "n_one_candidate", "linked"]]
       n_alone  n_singled_out  n_one_candidate  linked
    0        4              0                1   0.625
    """
    both = {n: {"table": TABLE, "release": n} for n in ("published", "control")}
    if control is None:
        del both["control"]
    analysis = call.analysis(**both)
    wanted = [*analysis.compared, *filter(None, [analysis.key])]
    original = call.people(frame, wanted)
    after = call.people(published, wanted, "the published frame")
    others = None
    if control is not None:
        others = call.people(control, analysis.compared, "the control").table
    return published_tables(
        original.table, after.table, others, analysis, call.resources
    )
