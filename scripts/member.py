"""Attack one target of a membership analysis."""

from pathlib import Path

from pydantic import TypeAdapter

from microleak.attacks.membership.measure import TABLES, attack_member
from microleak.records.compared import Compared
from microleak.run.job import job
from microleak.study_file.rough import Roughly
from microleak.study_file.yaml import read_yaml
from microleak.tables.files import write_table


def main(given, settings, out):
    compared, target = Compared(**settings["analysis"]), settings["target"]
    sections = read_yaml(Path(given.study))["analyses"]["membership"]
    known = next(s["targets"] for s in sections if s["name"] == compared.name)
    both = Path(given.population), Path(given.sample)
    roughly = TypeAdapter(Roughly).validate_python(settings["roughly"])
    table = attack_member(*both, compared, target, known[target], roughly)
    write_table(Path(out), table, TABLES["member"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, settings, snakemake.output[0])
