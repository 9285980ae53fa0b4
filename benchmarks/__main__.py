"""`python -m benchmarks small|national|outpatient|page`: measure, write the page."""

import argparse
import sys
from pathlib import Path

from benchmarks.page import write_pages
from benchmarks.process import Limits
from benchmarks.results import load, save
from benchmarks.run import run
from benchmarks.scale import SCALES
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT

N_THREADS = 2


def main() -> int:
    """Run what the command line asks for; return the exit status."""
    options = _options()
    try:
        runs = load(options.results)
        if options.what in SCALES:
            limits = Limits(N_THREADS, options.memory_gib, options.time_limit_s)
            scale = SCALES[options.what]
            runs |= {scale.name: run(scale, options.scratch, limits)}
            save(options.results, runs)
        write_pages(runs, options.results.parent)
    except MicroleakError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "what",
        choices=[*SCALES, "page"],
        help="benchmark to run, or `page` to write the page from the results alone",
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        default=Path("results/benchmarks"),
        help="folder for tables, which a later run uses again (%(default)s)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=ROOT / "docs/performance.json",
        help="results file; the page and its figures are written beside it",
    )
    parser.add_argument(
        "--memory-gib",
        type=float,
        default=20.0,
        help="a process that takes more is ended (%(default)s)",
    )
    parser.add_argument(
        "--time-limit-s",
        type=float,
        default=7200.0,
        help="a process that takes longer is ended (%(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
