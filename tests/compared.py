"""A population and a sample as files, compared the whole way, for tests."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.attacks.membership.section import Membership
from microleak.base.machine import Resources
from microleak.definitions.overlap import overlap
from microleak.records.compared import Compared, Renamed, TableRelease
from microleak.records.overlap_profile import profile_overlap
from microleak.records.profile_file import read_profiles

ROWS_A_GROUP = 3
PENSE = {
    "TP_SEXO": "VB01001",
    "TP_COR_RACA": "VB01002",
    "CO_MUNICIPIO": "MUNICIPIO_CAP",
}
"""What PeNSE calls attributes of the School Census."""

CODED = Renamed("ibge_pense", "inep_school_census", PENSE)
POPULATION, SAMPLE = TableRelease("people", "1"), TableRelease("survey", "2")


def person_file(path, names, rows):
    """Records as text; `rows` are tuples of values, None where one is missing."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    text = [pa.array(column, pa.string()) for column in columns]
    pq.write_table(pa.table(text, list(names)), path, row_group_size=ROWS_A_GROUP)
    return path


def compared(qids, wanted="all", **more):
    return Compared("c", POPULATION, SAMPLE, tuple(qids), wanted, **more)


def member_analysis(qids, targets, **more):
    both = {"population": vars(POPULATION), "sample": vars(SAMPLE)}
    return Membership(name="c", **both, qids=tuple(qids), targets=targets, **more)


def files(folder, population, sample, names, own_names=None):
    """Write both tables; `own_names` are the sample's, if it has others."""
    folder = Path(folder)
    return (
        person_file(folder / "people.parquet", names, population),
        person_file(folder / "survey.parquet", own_names or names, sample),
    )


def profiled(folder, both, analysis):
    out = Path(folder) / "overlap.parquet"
    profile_overlap(*both, analysis, False, Resources(2, 16_000, Path(folder)), out)
    return out


def overlaps(profile):
    """The blocks of each subset in a profile, as sets of (n, d, number of blocks)."""
    found = {subset: overlap(of_both[0]) for subset, of_both in read_profiles(profile)}
    return {
        subset: set(zip(*(c.tolist() for c in (o.n, o.d, o.n_blocks)), strict=True))
        for subset, o in found.items()
    }
