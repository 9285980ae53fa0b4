"""Keep one record a person."""

import json
import tempfile
from pathlib import Path

from microleak.sources.deduplicate import Choice, Resources, deduplicate
from microleak.study.job import job


def main(table, ingested, people, receipt, seed, threads, memory_mb):
    ids = json.loads(Path(ingested).read_text(encoding="utf-8"))
    choice = Choice(ids["person_id"], ids["record_id"], seed)
    with tempfile.TemporaryDirectory(dir=Path(people).parent) as scratch:
        resources = Resources(threads, memory_mb, Path(scratch))
        deduplicate(Path(table), Path(people), Path(receipt), choice, resources)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(
            *snakemake.input,
            *snakemake.output,
            snakemake.params.seed,
            snakemake.threads,
            snakemake.resources.mem_mb,
        )
