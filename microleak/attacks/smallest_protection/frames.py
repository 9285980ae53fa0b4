"""The smallest protection of a frame."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.smallest_protection.measure import protection_tables
from microleak.attacks.smallest_protection.section import Search, tables_of
from microleak.base.errors import check_known
from microleak.frames import Call, Tables, on_frames
from microleak.study_file.call import hierarchies_of
from microleak.study_file.hierarchies import check_hierarchies


@on_frames(
    Search,
    "SmallestProtection",
    positional=("qids", "hierarchies", "target"),
    _rows=lambda _, rows: rows[rows["is_answer"]],
    drawn="lattice",
    shown=(
        *("left_out", "levels", "loss", "sensitive", "smallest_block", "n_alone"),
        *("n_certain", "posterior_prob"),
    ),
)
def smallest_protection(
    call: Call,
    frame: Any,
    *,
    hierarchies: Mapping[str, Mapping[str, Any]],
    tabulations: Mapping[str, Sequence[str]] | None = None,
    n_threads: int | None = None,
) -> Tables:
    """Find the smallest protection that keeps a risk within bounds, and prove it.

    Parameters
    ----------
    hierarchies
        Of each QID ever coarser levels: `{"widths": [5, 10]}` of whole numbers,
        `{"prefixes": [2]}` of codes, `{"date": "%d/%m/%Y"}`, or `{"file": PATH}` as in
        a study file. On the last level, which is added, all values are alike; `{}` has
        no other.
    tabulations
        Columns of tables of counts, by their names; those that have a QID and change
        are told of each change of one QID.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 22, 23, 31, 33], "sex": list("FFFMM")})
    >>> levels = {"age": {"widths": [10]}, "sex": {}}
    >>> found = smallest_protection(people, ["age", "sex"], levels, {"k": 2})
    >>> nodes = found.smallest_protection
    >>> nodes.loc[nodes["is_answer"], ["left_out", "levels", "n_alone"]]
      left_out        levels  n_alone
    2           age:width 10        0
    """
    qids = call.columns("qids")
    given = hierarchies_of(call.function, hierarchies)
    check_hierarchies(given, qids, call.function)
    levels = {"hierarchies": {name: given[name] for name in qids}}
    section, known = call.section(**levels), tabulations or {}
    for name in section.tabulations:
        said = "smallest_protection: tabulations has no"
        check_known(name, known, said, " Name one of it in loss.")
    analysis = call.analysis(
        **levels,
        tables=tables_of(section, known),
        compared={n: tuple(t) for n, t in known.items() if {*t} & {*qids}},
    )
    ((*_, names),) = analysis.needs
    people = call.people(frame, names)
    return protection_tables(people.table, analysis, call.resources)
