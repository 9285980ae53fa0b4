"""Tables that are made from the code stand whole in the pages that are written."""

import re

import pytest

from microleak.base.paths import ROOT
from microleak.study.load import study_schema
from microleak.study.tables import result_tables
from microleak.study_file.schema import keys_below
from tests.docs.pages import made, text


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    made.write_pages(folder)
    return folder


def test_every_table_has_its_section_and_every_column_its_row(written):
    page = (written / "results.md").read_text(encoding="utf-8").replace("](../", "](")
    for table in result_tables().values():
        assert f"\n{table.text}\n| column |" in page, table.name
        for column in table.columns:
            assert f"`{column.name}`" in page, (table.name, column.name)


def test_every_key_has_its_row_with_what_it_means(written):
    page = (written / "study-file.md").read_text(encoding="utf-8")
    for key, part in keys_below(study_schema()):
        assert f"\n| `{key}` | {part['description']} |" in page


@pytest.mark.parametrize("name", made.MADE)
def test_links_of_a_written_page_lead_out_of_its_folder(written, name):
    page = (written / f"{name}.md").read_text(encoding="utf-8")
    assert made.MARK in (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    assert made.MARK not in page
    for link in re.findall(r"\]\(([^)\s#]+)", page):
        if ":" not in link:
            here = ROOT / "docs" / "made" / link
            assert (written / link).exists() or here.resolve().exists(), link
    assert len(page) > 0.99 * len(text(f"docs/{name}.md"))
