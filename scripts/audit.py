"""Write the manifest of a study."""

from pathlib import Path

from microleak.study.job import job
from microleak.study.manifest import write_manifest
from microleak.study.yaml_file import read_yaml

if __name__ == "__main__":
    with job(snakemake.log[0]):
        path = Path(snakemake.input.study)
        write_manifest(Path(snakemake.output[0]).parent, read_yaml(path), path)
