"""The reference of the result tables is what their tables.yaml files say."""

from microleak.study.tables import PAGE, documented_tables, result_tables


def test_the_page_is_made_of_the_specifications():
    page = PAGE.read_text(encoding="utf-8")
    assert documented_tables(page) == page, "run make docs"


def test_every_table_has_its_section_and_every_column_its_row():
    page = PAGE.read_text(encoding="utf-8")
    for table in result_tables().values():
        assert f"\n{table.text}\n| column |" in page, table.name
        for column in table.columns:
            assert f"`{column.name}`" in page, (table.name, column.name)
