"""Checks that the rows of a certificate of tables of counts are those of the files."""

import csv
import hashlib
import io
import itertools
import json
import sys
from collections import Counter
from pathlib import Path

from scripts import check_certificate


def check(told, check_files):
    """Yield what is wrong with claims, or with rows that should be as in files."""
    faults = [*check_certificate.check(told)]
    yield from faults
    if told["files"] and faults != ["a number is not whole"]:
        yield from check_files(told)


def lines_of(given):
    """The lines of a file, which is the one that was read."""
    if given.get("printed"):
        raise SystemExit(f"{given['file']} is as printed: compare its rows by eye")
    content = Path(given["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != given["sha256"]:
        raise SystemExit(f"{given['file']} is not the file that was read")
    return [*csv.DictReader(io.StringIO(content.decode("utf-8-sig")))]


def published(given, domains):
    """Yield what a file says: values by attribute, least and largest count."""
    base, below, noise = given["rounded_to"] or 1, given["below"], given["noise"] or 0
    around = {"nearest": (base // 2,) * 2, "down": (0, base - 1)}
    down, up = around.get(given["rounding"] or "nearest", (base - 1, base - 1))
    lines = lines_of(given)
    for line in lines:
        text = line.pop("count")
        if text in ("", *given["suppressed"]):
            yield line, (1, below - 1) if below else (0, None)
        else:
            low, high = int(text) - down - noise, int(text) + up + noise
            yield line, (max(0, low), high)
    if given["unlisted"] == "zero":
        listed = {tuple(line.values()) for line in lines}
        for values in itertools.product(*(domains[name] for name in lines[0])):
            if values not in listed:
                yield dict(zip(lines[0], values, strict=True)), (0, 0)


def check_files(written):
    """Yield the rows that are not as the files have them."""
    attributes, by = written["attributes"], written["region"]
    regions = [region["region"] for region in written["regions"]]
    told, domains = Counter(), attributes | {by: regions}
    for given in written["files"]:
        for line, bounds in published(given, domains):
            codes = (
                None if line.get(name, "*") in ("", "*") else values.index(line[name])
                for name, values in attributes.items()
            )
            told[line.get(by, ""), given["file"], *codes, *bounds] += 1
    rows = Counter(
        (region["region"], row["table"], *row["cell"], row["low"], row["high"])
        for region in written["regions"]
        for row in region["rows"]
    )
    yield from (
        f"row {row} is not as in the file" for row in (told - rows) + (rows - told)
    )


def main(check_files):
    """Check the proofs that the command line names, and say it."""
    proofs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if not proofs["files"]:
        sys.exit("They were made of records: their rows are in no file to compare.")
    faults = "\n".join(check_files(proofs))
    sys.exit(faults or print("All rows are those of the files."))


if __name__ == "__main__":
    main(check_files)
