"""Published successes of the outpatient data and what the twin has in their place.

python -m tests.calibration.outpatient SEED SEED ... writes docs/twin/outpatient-*.csv
and takes some minutes.
"""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from microleak.base.paths import ROOT
from papers.twins.outpatient.release import write_outpatient
from papers.twins.outpatient.units import outpatient
from tests.assessing import assess
from tests.calibration.published import of_states
from tests.papers.twins.outpatient_files import records_of, valid

QIDS = ["PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN"]
QIDS += ["PA_CODUNI", "PA_MVM", "PA_CMP"]
SENSITIVE = "PA_PROC_ID"
N_UNITS, LEAST_RECORDS = 50, 200_000


def reduced(name):
    """Records that make fifty units of a state, 200,000 or more, if it has so many."""
    state = outpatient().state(name)
    return min(state.records, max(LEAST_RECORDS, round(N_UNITS * state.size)))


def measured(state, records, seed):
    """Tables 2 and 3 of a synthetic release of 2023, in percent."""
    with tempfile.TemporaryDirectory() as folder:
        write_outpatient(Path(folder) / state, state, 2023, records, seed)
        frame = valid(records_of(Path(folder) / state, [*QIDS, SENSITIVE]))
    assert len(frame) == records
    codes = frame.apply(lambda column: column.factorize()[0])
    found = assess(codes, QIDS, [SENSITIVE])
    found = found[found["sensitive"] == SENSITIVE]
    posterior = 100 * found["posterior_prob"]
    prior = 100 * found["prior_prob"].iloc[0]
    leakage = posterior.groupby(found["n_qids"]).max() - prior
    sets = found["qids"].str.split("|")
    without = {q: posterior[[q not in each for each in sets]].max() for q in QIDS}
    return {"none": prior} | {str(n): leakage[n] for n in leakage.index}, without


def line(state, records, seeds):
    """Lines of both tables: distances of the mean over the seeds, and the largest."""
    found = [measured(state, records, seed) for seed in seeds]
    for table, values in zip("23", zip(*found, strict=True), strict=True):
        facts = of_states(table).loc[state]
        away = pd.DataFrame(values) - facts
        mean = (f"{away[name].mean():+.2f}" for name in values[0])
        yield [state, records, *mean, f"{np.abs(away.to_numpy()).max():.2f}"]


def main(seeds):
    lines = [[*line(state, reduced(state), seeds)] for state in outpatient().names]
    names = {"leakage": ["prior", *"1234567"], "without": QIDS}
    for (name, columns), body in zip(
        names.items(), zip(*lines, strict=True), strict=True
    ):
        path = ROOT / "docs" / "twin" / f"outpatient-{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["state", "records", *columns, "largest"])
            table.writerows(body)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])
