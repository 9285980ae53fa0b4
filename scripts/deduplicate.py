"""Keep one record a person."""

import json
from pathlib import Path

from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.sources.steps.deduplicate import Choice, deduplicate


def main(given, out, seed, machine):
    people = Path(out.people)
    ids = json.loads(Path(given.receipt).read_text(encoding="utf-8"))
    choice = Choice(ids["person_id"], ids["record_id"], seed)
    resources = Resources(machine.threads, machine.resources.mem_mib, people.parent)
    deduplicate(Path(given.table), people, Path(out.receipt), choice, resources)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings["seed"], snakemake)
