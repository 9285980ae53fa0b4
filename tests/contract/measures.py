"""Hashes of every file in measures/ of the example studies, and how to renew them.

They hold the numbers while the code is moved. Where a number is meant to change:

    python -m tests.contract.measures --renew [STUDY ...]
"""

import argparse
import csv
import hashlib
import io
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.csv import write_csv

from microleak.base.paths import CONFIG, ROOT
from tests.commands import microleak

HASHES = Path(__file__).with_name("measures.json")
SHARED = ROOT.parent / "shared"
"""Where the studies on real files have them; not part of the repository."""


@dataclass(frozen=True)
class Example:
    """A study file, and whether it takes too long for every run of the tests."""

    file: Path
    is_long: bool = False

    @property
    def name(self):
        return self.file.stem

    @property
    def missing(self):
        lines = self.file.read_text("utf-8").splitlines()
        named = [line.split()[1] for line in lines if " archive: ../shared/" in line]
        return [path for path in named if not (ROOT / path).exists()]


LONG = ("noise-demo", "pense-twin", "reconstruction-demo", "synopsis-twin")
EXAMPLES = (
    Example(ROOT / "tests/validation/sia-pa-acre-sample.yaml", is_long=True),
    Example(CONFIG / "school-twin.yaml", is_long=True),
    Example(Path(__file__).with_name("small-twins.yaml"), is_long=True),
    Example(ROOT / "tests/validation/adult.yaml", is_long=True),
    *(
        Example(file, is_long=file.stem in LONG)
        for file in sorted(CONFIG.glob("examples/*.yaml"))
        if file.stem != "datasus-demo"
    ),
)
"""Every study of the repository but the largest: datasus-demo, datasus-2023 and
higher-education-twin, whose sources and analyses small-twins has."""


def run(example, folder):
    """Measure a study in an empty folder, without its page; return its results."""
    (folder / "work").mkdir()
    (folder / "work/config").symlink_to(CONFIG)
    if SHARED.exists():
        (folder / "shared").symlink_to(SHARED)
    words = ["--", "--cores", "2", "--omit-from", "publish", "draw", "report", "audit"]
    done = microleak("run", example.file, *words, folder=folder / "work")
    assert done.returncode == 0, done.output
    return folder / "work/results" / example.name


def hashes(results):
    """SHA-256 of what each file of the measures says, by its path there."""
    # What the audit writes beside them, of which most examples have none, is not
    # theirs.
    measures = results / "measures"
    return {
        path.relative_to(measures).as_posix(): hashlib.sha256(content(path)).hexdigest()
        for path in sorted(measures.rglob("*.*"))
        if path.is_file() and path.name != "csv-metadata.json"
    }


def content(path):
    """The bytes of a file, without what depends on zlib or the writer of Parquet."""
    # A twin's archive has other bytes, and so another SHA-256, with another zlib.
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        text = io.BytesIO()
        write_csv(table.cast(pa.schema(map(plain, table.schema))), text)
        return f"{table.schema}\n".encode() + text.getvalue()
    if path.name == "ingest.csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return "\n".join(str(row | {"sha256": None}) for row in rows).encode()
    return path.read_bytes()


def plain(field):
    """A column's field without a dictionary, which a CSV has no place for."""
    kind = field.type
    return field.with_type(kind.value_type) if pa.types.is_dictionary(kind) else field


def changes(before, after):
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield f"{path} is not made any more"
        elif path not in before:
            yield f"{path} is new"
        elif before[path] != after[path]:
            yield f"{path} says something else"


def committed():
    return json.loads(HASHES.read_text("utf-8")) if HASHES.exists() else {}


def renew(names):
    known = committed()
    for example in EXAMPLES:
        if example.name in names:
            with tempfile.TemporaryDirectory() as folder:
                found = hashes(run(example, Path(folder)))
            for change in changes(known.get(example.name, {}), found):
                print(f"{example.name}: {change}")
            known[example.name] = found
            HASHES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def main():
    names = [example.name for example in EXAMPLES]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--renew", nargs="*", choices=names, required=True)
    renew(parser.parse_args().renew or names)


if __name__ == "__main__":
    main()
