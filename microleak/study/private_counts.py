"""The tables of a public report (docs/decisions/0030-private-counts.md)."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.disclosure.noise import keyed, laplace, range_of
from microleak.family import Publication, people
from microleak.study_file.model import Study
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

if TYPE_CHECKING:
    import pandas as pd

_INGEST = "measures/ingest.csv"


def private_tables(
    study: Study,
    noise: NoiseSection,
    families: Mapping[str, Publication],
    study_dir: Path,
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the tables of a public report, and their names.

    Each count has the same part of epsilon. Its noise follows from the key, the study's
    name, the records, the analysis and what is counted; so the same study has the same
    bytes, and any other one noise that has nothing to do with it.
    """
    specs = tables_of("microleak.study")
    ingest = read_table(study_dir / _INGEST, specs["ingest"])
    releases = ingest.assign(n_records=None).astype({"n_records": "Int64"})
    yield "releases", releases[specs["releases"].names]
    account = noise.account(study.name)
    rows = [{"publication": n, "epsilon": str(e)} for n, e in account.items()]
    yield "privacy_losses", specs["privacy_losses"].frame(rows)
    exact = [
        (study.analyses[family][name.partition("/")[2]], name, counts)
        for family, published in families.items()
        for name, counts in published.counts(study, study_dir)
    ]
    epsilon = account[study.name] / sum(len(counts) for *_, counts in exact)
    key = Path(noise.key).read_bytes()
    digest = cache(lambda path: sha256_of(study_dir / path))
    for analysis, name, counts in exact:
        noisy = counts.assign(epsilon=str(epsilon), range_95=range_of(epsilon))
        noisy["n_noisy"] = [
            row["n_noisy"] + laplace(epsilon, keyed(key, message))
            for row in noisy.to_dict("records")
            for message in [_message(study, analysis, row, digest)]
        ]
        yield name, noisy


def _message(
    study: Study, analysis: Any, row: Mapping[str, Any], digest: Callable[[str], str]
) -> bytes:
    """Return what the noise of a count follows from.

    The definition of the analysis and the count itself are in it: should the count
    change for a reason that the records do not show, the noise is another one, too,
    and their difference tells nothing. In how many jobs it is counted changes nothing.
    """
    releases = row["focal"], *filter(None, row["auxiliary"].split("|"))
    records = [digest(people(row["table"], release)) for release in releases]
    definition = to_jsonable_python(analysis) | {"n_parts": None}
    message = [study.name, records, definition, row]
    return json.dumps(message, sort_keys=True).encode()


def check_replaced(study_dir: Path, published: Path) -> None:
    """Refuse other counts with noise than those of a report that is there.

    Both may have been given away, and no account would have the first.

    Raises
    ------
    StudyError
        If there is such a report.
    """
    report = study_dir / "report"
    suffix = "-noisy_counts.csv"
    earlier = {
        path.name.removesuffix(suffix): path.read_bytes()
        for path in report.glob(f"data/*{suffix}")
    }
    counts = {p.stem: p.read_bytes() for p in published.glob("noisy_counts/*.csv")}
    if earlier and earlier != counts:
        raise StudyError(
            f"{report} is a public report with other counts with noise, and what this "
            "run would replace it by is a further publication. Give the study another "
            f"name, and name {study_dir.name} with its epsilon under "
            f"report.noise.spent. If it was never given away, remove {report} and run "
            "again (docs/decisions/0030-private-counts.md)."
        )


def private_needs(study: Study, families: Mapping[str, Publication]) -> tuple[str, ...]:
    """Return what `private_tables` reads, as paths below the study's results.

    Raises
    ------
    StudyError
        If there is nothing to count.
    """
    counted = dict.fromkeys(
        path for each in families.values() for path in each.counts_needs(study)
    )
    if not counted:
        raise StudyError(
            f"{study.file}: the public report has nothing to count. Counts are made of "
            "collective analyses that measure the set of all their QIDs, on releases "
            "that are neither protected nor pooled. Add one, or write "
            "audience: internal."
        )
    return _INGEST, *counted
