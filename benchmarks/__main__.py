"""`python -m benchmarks small|national|outpatient|page`: measure, write the page."""

import argparse
import sys
from pathlib import Path

from benchmarks.page import RESULTS, write_page
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
        results = options.folder / RESULTS
        if options.what in SCALES:
            limits = Limits(N_THREADS, options.memory_gib, options.time_limit_s)
            scale = SCALES[options.what]
            found = {scale.name: run(scale, options.scratch, limits)}
            save(results, load(results) | found)
        write_page(options.folder)
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
        "--folder",
        type=Path,
        default=ROOT / "docs",
        help="folder of results, of which the page and its figures are made",
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
