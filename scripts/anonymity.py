"""Measure how anonymous a table is, from its profiles and what they leave open."""

from pathlib import Path

from microleak.attacks.anonymity.measure import TABLES, AnonymityFiles, anonymity_tables
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(files, out, analysis, given):
    files = AnonymityFiles(**{name: Path(p) for name, p in files.items() if p})
    analysis = Anonymity.model_validate(analysis)
    scratch = Path(out.anonymity).parent
    resources = Resources(given.threads, given.resources.mem_mib, scratch)
    tables = anonymity_tables(files, analysis, resources)
    for name, table in tables.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        analysis = settings["analysis"]
        main(snakemake.input, snakemake.output, analysis, snakemake)
