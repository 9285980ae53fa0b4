"""Find what answers to queries give away of the values that they are of."""

from pathlib import Path

from microleak.attacks.query_answers.measure import TABLES, answer_tables
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.files import whole_file
from microleak.protection.protect import check_files
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings):
    check_files(settings["files"])
    analysis = QueryAnswers.model_validate(settings["analysis"])
    given = Path(people[0]) if people else None
    with (
        whole_file(out.proofs) as aside,
        aside.open("w", encoding="utf-8", newline="\n") as proofs,
    ):
        found = answer_tables(analysis, given, proofs)
    for name, spec in TABLES.items():
        write_table(Path(getattr(out, name)), found[name], spec)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input.people, snakemake.output, settings)
