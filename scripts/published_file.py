"""Attack a file that somebody else protected or made of a release."""

from pathlib import Path

from microleak.attacks.published_file.measure import TABLES, published_tables
from microleak.attacks.published_file.section import PublishedFile
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(inputs, out, settings, given):
    analysis = PublishedFile.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, Path(out[0]).parent)
    control = next(map(Path, inputs.control), None)
    files = Path(inputs.original), Path(inputs.published), control
    for name, table in published_tables(*files, analysis, resources).items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings, snakemake)
