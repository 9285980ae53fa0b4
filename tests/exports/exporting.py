"""Reports to export, small enough to be seen, without their pages."""

import json

import pandas as pd

from microleak.audit.sealed import sealed_text
from microleak.base.digests import Digests
from microleak.study.listing import files_of, manifest_entry
from microleak.study.tables import result_tables as specs
from microleak.tables.files import print_csv
from tests.attacks.collective.state_study import tables_of

REMOVED = tuple(specs()["removed"].names)

RELEASES = ("RR-2022", "RR-2023")

HOSTILE = (
    *("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "'quoted"),
    *("<script>alert(1)</script>", "<r><t>x</t></r>", "<r>broken"),
    *(r"\input{/etc/passwd}", "50 % & $1 #2 _3 ^4 ~5 {6}", "[1]*--`'\""),
    *("a|b", "a\nb", "a\r\nb", "a\0b\x1f\uffff", "a\u202eb\u200f", "_x0041_"),
    *("025", "TRUE", "NA", " spaces ", "x" * 300, 'a;=1,"=2', "é 😀"),
)
"""Names as no office has them; none has what the CSV below `report` cannot hold."""


def folder_of(folder, files, audience="internal", synthetic=True):
    """Write `report/data` of a study called demo; return the study's folder."""
    for path, rows in files.items():
        file = folder / "report" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as opened:
            print_csv(rows, opened)
    metadata = {
        **{"study": "demo", "audience": audience, "synthetic": synthetic},
        "notice": "SYNTHETIC / SINTÉTICO" if synthetic else "",
        "tables": sorted(files),
    }
    text = json.dumps(metadata, ensure_ascii=False)
    (folder / "report/data/metadata.json").write_text(text, encoding="utf-8")
    seal(folder)
    return folder


def seal(folder, config=None):
    """Write a manifest that lists the report as it is."""
    paths = [path for path in files_of(folder) if path.startswith("report/")]
    manifest = {
        "study": "demo",
        "synthetic": True,
        "config": config or {},
        **{part: {} for part in ("code", "versions", "inputs")},
        "outputs": [manifest_entry(folder, path, Digests()) for path in paths],
    }
    (folder / "manifest.json").write_text(sealed_text(manifest), encoding="utf-8")


def states_report(folder):
    return folder_of(folder, tables_of(RELEASES).tables.files())


def removed_report(folder, names=("a",), **more):
    """A report of rows removed for attributes of some names."""
    return folder_of(folder / "demo", {"data/removed.csv": removed_of(names)}, **more)


def removed_of(names):
    rows = [
        {
            **{"table": "t", "release": "2018", "attribute": name, "reason": "missing"},
            **{"n_rows": i, "share_of_read": -i / 3},
        }
        for i, name in enumerate(names, 1)
    ]
    return pd.DataFrame(rows, columns=[*REMOVED])
