"""Measure how anonymous a table is, from its profiles and what they leave open."""

from pathlib import Path

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.attacks.anonymity.measure import AnonymityFiles, anonymity_tables
from microleak.base.resources import Resources
from microleak.run.job import job
from microleak.tables.files import write_csv


def main(files, out, analysis, given):
    files = AnonymityFiles(**{name: Path(path) for name, path in files.items()})
    analysis = Anonymity.model_validate(analysis)
    scratch = Path(out.anonymity).parent
    resources = Resources(given.threads, given.resources.mem_mib, scratch)
    tables = anonymity_tables(files, analysis, resources)
    write_csv(Path(out.anonymity), tables.anonymity)
    write_csv(Path(out.classes), tables.classes)


if __name__ == "__main__":
    with job(snakemake) as settings:
        analysis = settings["analysis"]
        main(snakemake.input, snakemake.output, analysis, snakemake)
