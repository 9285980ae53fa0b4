"""Tidy, describe and list the results of a study."""

from pathlib import Path

from microleak.study.config import load_study
from microleak.study.csv_metadata import write_csv_metadata
from microleak.study.job import job
from microleak.study.manifest import write_manifest
from microleak.study.outputs import outputs_of, remove_leftovers
from microleak.study.yaml_file import read_yaml


def main(config, manifest, described):
    study = load_study(config)
    outputs = outputs_of(study)
    remove_leftovers(manifest.parent, outputs)
    write_csv_metadata(described, study)
    write_manifest(manifest.parent, read_yaml(config), config, outputs)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(Path(snakemake.input.study), *map(Path, snakemake.output[:2]))
