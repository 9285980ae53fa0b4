"""Keep one record a person."""

import json
from pathlib import Path

from microleak.resources import Resources
from microleak.sources.deduplicate import Choice, deduplicate
from microleak.study.job import job


def main(table, ingested, people, receipt, choose):
    ids = json.loads(Path(ingested).read_text(encoding="utf-8"))
    choice = Choice(ids["person_id"], ids["record_id"], choose.params.seed)
    resources = Resources(choose.threads, choose.resources.mem_mib, Path(people).parent)
    deduplicate(Path(table), Path(people), Path(receipt), choice, resources)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(*snakemake.input, *snakemake.output, snakemake)
