import json

import pytest

from microleak.study.releases import removed_table
from microleak.study.tables import result_tables as specs

REMOVED = tuple(specs()["removed"].names)


def receipt(study_dir, release, n_read, removed):
    path = study_dir / "tables" / "sia" / f"{release}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"n_read": n_read} | ({} if removed is None else {"removed": removed})
    path.write_text(json.dumps(content), encoding="utf-8")
    return "sia", release, False


def counts(*rows):
    return [
        dict(zip(("attribute", "reason", "n_rows"), row, strict=True)) for row in rows
    ]


def test_a_row_tells_how_many_of_the_rows_read_were_removed_and_why(tmp_path):
    removed = counts(
        ("PA_SEXO", "missing", 0), ("PA_SEXO", "outside", 3), ("", "any", 3)
    )
    releases = [
        receipt(tmp_path, "AC-2023", 8, removed),
        receipt(tmp_path, "RR-2023", 3, counts(("", "any", 1))),
    ]
    assert removed_table(tmp_path, releases).to_dict("split")["data"] == [
        ["sia", "AC-2023", "PA_SEXO", "missing", 0, 0],
        ["sia", "AC-2023", "PA_SEXO", "outside", 3, 3 / 8],
        ["sia", "AC-2023", "", "any", 3, 3 / 8],
        ["sia", "RR-2023", "", "any", 1, pytest.approx(1 / 3)],
    ]


def test_without_sources_that_remove_there_are_only_columns(tmp_path):
    table = removed_table(tmp_path, [receipt(tmp_path, "2018", 8, None)])
    assert (tuple(table.columns), len(table)) == (REMOVED, 0)
