"""Find what another release says of a release's persons."""

import json
from pathlib import Path

from microleak.run.job import job
from microleak.sources.steps.join import ReleaseLink, join


def main(focal, auxiliary, people, out, release):
    person_id = json.loads(Path(people).read_text(encoding="utf-8"))["person_id"]
    link = ReleaseLink(Path(focal), Path(auxiliary), person_id, release)
    join(link, Path(out.panel), Path(out.receipt))


if __name__ == "__main__":
    with job(snakemake):
        main(*snakemake.input, snakemake.output, snakemake.wildcards.auxiliary)
