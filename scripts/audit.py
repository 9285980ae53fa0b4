"""Check, tidy, describe and list the results of a study."""

from pathlib import Path

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.audit.manifest import write_manifest
from microleak.base.digests import Digests
from microleak.run.job import job
from microleak.study.listing import DIGESTS
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of, refuse_outdated, remove_leftovers
from microleak.study_file.yaml import read_yaml


def main(config, manifest, described):
    study, folder = load_study(config), manifest.parent
    digests, outputs = Digests.read(folder / DIGESTS), outputs_of(study)
    refuse_outdated(study, folder, config, digests)
    remove_leftovers(folder, outputs)
    write_csv_metadata(described, study)
    write_manifest(folder, read_yaml(config), config, outputs, Digests())
    digests.write(folder / DIGESTS)


if __name__ == "__main__":
    with job(snakemake):
        main(Path(snakemake.input.study), *map(Path, snakemake.output[:2]))
