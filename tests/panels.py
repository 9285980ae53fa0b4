"""Panels from records by person, the whole way from one release to measures."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import measure_analysis
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.sources.steps.join import ReleaseLink, join

ROWS_A_GROUP = 4


def people_file(path, people):
    """One record a person, sorted by identifier; `people` has rows by identifier."""
    rows = [{"ID": i, **people[i]} for i in sorted(people)]
    names = list(rows[0]) if rows else ["ID"]
    text = [
        pa.array([None if r[n] is None else str(r[n]) for r in rows], pa.string())
        for n in names
    ]
    table = pa.table(dict(zip(names, text, strict=True)))
    pq.write_table(table, path, row_group_size=ROWS_A_GROUP)
    return path


def collective(folder, releases, qids, sensitive=(), fewer=None):
    """The collective measures of a panel, the first release its focal one.

    `releases` has, by name, each person's attributes by identifier.
    """
    folder = Path(folder)
    names = list(releases)
    files = {
        name: people_file(folder / f"people-{name}", people)
        for name, people in releases.items()
    }
    for name in names[1:]:
        link = ReleaseLink(files[names[0]], files[name], "ID", name)
        join(link, folder / f"panel-{name}", folder / "receipt")
    analysis = Collective(
        "demo",
        "people",
        names[0],
        tuple(qids),
        tuple(sensitive),
        "all",
        tuple(names[1:]),
        fewer or {},
    )
    profiles = []
    for n, part in enumerate(analysis.prefixes):
        parts = [files[names[0]], *(folder / f"panel-{a}" for a in part.auxiliary)]
        profiles.append(folder / f"profiles-{n}")
        profile_analysis(parts, part, True, Resources(2, 8_000, folder), profiles[-1])
    found = measure_analysis(profiles, analysis, True, folder / "success" / "s")
    return found.collective
