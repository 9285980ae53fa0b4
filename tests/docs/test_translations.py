"""Pages in Portuguese have the files, commands and settings of those in English."""

import re

import pytest

from tests.docs.pages import blocks, prose, spans, table_rows, text

PAIRS = [("docs/own-file.md", "docs/own-file.pt.md")]
PAIRS += [("docs/protect.md", "docs/protect.pt.md")]


def without_comments(block):
    return re.sub(r" +#.*", "", block)


@pytest.mark.parametrize(("english", "portuguese"), PAIRS)
def test_both_pages_have_the_same_files_commands_and_settings(english, portuguese):
    for language in ("", "python", "text", "yaml"):
        one, other = (
            [*map(without_comments, blocks(page, language))]
            for page in (english, portuguese)
        )
        assert one == other
    assert {*spans(prose(english))} - {*spans(prose(portuguese))} == set()


@pytest.mark.parametrize(("english", "portuguese"), PAIRS)
def test_tables_and_sections_are_as_many(english, portuguese):
    one, other = (
        [len(row) for row in table_rows(page)] for page in (english, portuguese)
    )
    assert one == other
    one, other = (
        re.findall(r"^#+ ", prose(page), re.M) for page in (english, portuguese)
    )
    assert one == other


@pytest.mark.parametrize(("english", "portuguese"), PAIRS)
def test_each_page_leads_to_the_other(english, portuguese):
    assert f"*[Português]({portuguese.removeprefix('docs/')})*" in text(english)
    assert f"*[English]({english.removeprefix('docs/')})*" in text(portuguese)
