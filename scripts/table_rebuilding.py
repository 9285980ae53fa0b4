"""Find what tables of counts prove about the records that they were made of."""

import json
from pathlib import Path

from microleak.attacks.table_rebuilding.measure import TABLES, rebuilding_tables
from microleak.attacks.table_rebuilding.section import TableRebuilding
from microleak.base.files import write_text
from microleak.protection.protect import check_files
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings):
    check_files(settings["files"])
    analysis = TableRebuilding.model_validate(settings["analysis"])
    found = rebuilding_tables(analysis, Path(people[0]) if people else None)
    for name, spec in TABLES.items():
        write_table(Path(getattr(out, name)), getattr(found, name), spec)
    write_text(Path(out.proofs), json.dumps(found.proofs, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input.people, snakemake.output, settings)
