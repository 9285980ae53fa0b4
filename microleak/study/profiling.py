"""From one record a person to the block profiles of an analysis."""

from pathlib import Path

import pyarrow.parquet as pq

from microleak.kernels.walk import walk
from microleak.study.coding import coded
from microleak.study.model import Collective
from microleak.study.profile_file import write_profiles


def profile_analysis(
    people: Path, analysis: Collective, is_synthetic: bool, n_threads: int, out: Path
) -> None:
    """Write the block profile of every wanted subset, and of the empty one.

    Only the attributes of the analysis are read, one at a time.
    """
    attributes = {
        name: coded(pq.read_table(people, columns=[name])[name], name)
        for name in (*analysis.qids, *analysis.sensitive)
    }
    histograms = walk(
        [attributes[name] for name in analysis.qids],
        [attributes[name] for name in analysis.sensitive],
        [0, *analysis.subsets],
        n_threads,
    )
    write_profiles(out, histograms, is_synthetic)
