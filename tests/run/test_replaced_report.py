"""What a run says last of a public report that was there before it."""

import json

import pytest

from microleak.run.display import display
from microleak.run.workflow import warn_of_replaced
from microleak.study.public_report import public_tables


@pytest.mark.parametrize(
    ("audience", "table", "is_told"),
    [
        ("public", "n\n1\n", False),
        ("public", "n\n2\n", True),
        ("public", None, True),
        ("internal", "n\n2\n", False),
    ],
    ids=["same", "other", "removed", "internal"],
)
def test_a_run_warns_that_a_public_report_was_replaced(
    tmp_path, capsys, audience, table, is_told
):
    mine = tmp_path / "mine"
    (mine / "report/data").mkdir(parents=True)
    metadata = json.dumps({"audience": audience})
    (mine / "report/data/metadata.json").write_text(metadata)
    file = mine / "report/data/town-noisy_counts.csv"
    file.write_text("n\n1\n")
    earlier = public_tables(mine)
    (mine / "report/index.html").write_text("another version")
    file.unlink() if table is None else file.write_text(table)
    with display(tmp_path, mine, is_verbose=False) as shown:
        warn_of_replaced(mine, earlier, shown)
    said = capsys.readouterr().err
    begins = f"warning: the public report that {mine} had before this run is replaced"
    assert (begins in said) == is_told
