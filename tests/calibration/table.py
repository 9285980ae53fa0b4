"""Print a table of docs/twin/ as CSV: published successes beside the twin's.

python -m tests.calibration.table school SEED SEED ... takes half a minute a seed,
python -m tests.calibration.table higher_education SEED SEED ... too.
"""

import csv
import sys
import tempfile
from pathlib import Path

from tests.calibration.conftest import CENSUSES, Twin
from tests.calibration.published import measured, rows

HEAD = ["table", "releases", "qids", "success", "published", "twin", "distance"]
HEAD += ["largest"]


def lines(row, found):
    """One line a success: mean over the seeds, its distance, the largest one."""
    when = "prior" if not row["qids"] else "posterior"
    for kind, column in (("det", "det_pct"), ("prob", "prob_pct")):
        if not row[column] or (when == "prior" and kind == "det"):
            continue
        published = float(row[column])
        values = [measures[f"{when}_{kind}"] for measures in found]
        mean = sum(values) / len(values)
        largest = max(abs(value - published) for value in values)
        numbers = [f"{published:.2f}", f"{mean:.2f}", f"{mean - published:+.2f}"]
        labels = [row["table"], row["releases"], row["qids"], kind]
        yield [*labels, *numbers, f"{largest:.2f}"]


def main(name, seeds):
    published = rows(name)
    found = [[] for _ in published]
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            twin = Twin(Path(folder), seed, CENSUSES[name])
            for row, values in zip(published, found, strict=True):
                values.append(measured(twin, row))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(HEAD)
    for row, values in zip(published, found, strict=True):
        table.writerows(lines(row, values))


if __name__ == "__main__":
    main(sys.argv[1], [int(seed) for seed in sys.argv[2:]])
