"""Commands, studies and settings of the documentation are as it writes them."""

import re
import shlex

import pytest
import yaml

from microleak.base.paths import ROOT
from microleak.cli import command_parser
from microleak.cli.parser import commands_of
from microleak.study.load import load_study, study_schema
from tests.docs.pages import PAGES, blocks, text

GUIDES = [page for page in PAGES if not page.startswith("docs/decisions/")]
STUDIES = [
    (page, block)
    for page in GUIDES
    for block in blocks(page, "yaml")
    if block.startswith("study:") and "…" not in block
]


def commands(page, program):
    """Return the words of each command of a program, without its comment."""
    lines = "".join(blocks(page, "")).replace("\\\n", " ").splitlines()
    told = (line.removeprefix("$ ") for line in lines)
    return [
        shlex.split(line, comments=True)
        for line in told
        if line.startswith(f"{program} ")
    ]


@pytest.mark.parametrize("page", GUIDES)
def test_every_command_has_words_that_microleak_takes(page):
    saved = {f"{yaml.safe_load(block)['study']}.yaml" for _, block in STUDIES}
    for words in commands(page, "microleak"):
        own = words[1 : words.index("--")] if "--" in words else words[1:]
        options = command_parser().parse_args(own)
        if own[0] == "init":
            saved.add(options.file.with_suffix(".yaml").name)
        config = getattr(options, "config", None)
        assert config is None or (ROOT / config).is_file() or config.name in saved


def test_the_page_of_commands_has_every_command_and_option_with_its_help():
    page = text("docs/commands.md")
    for name, command in commands_of(command_parser()).items():
        section = page.partition(f"\n## microleak {name}\n")[2].partition("\n## ")[0]
        for action in command._actions:
            if not {"--help", "--lang"} & set(action.option_strings):
                assert action.help.replace("|", r"\|") in section
                assert all(f"{word}" in section for word in action.option_strings)


@pytest.mark.parametrize("page", GUIDES)
def test_every_make_target_is_in_the_makefile(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for words in commands(page, "make"):
        assert re.search(rf"^{words[1]}:", makefile, re.M)


@pytest.mark.parametrize(("page", "block"), STUDIES)
def test_every_study_of_a_page_can_be_read(page, block, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    path, key = tmp_path / "study.yaml", tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    text = block.replace("secret/school.key", str(key))
    path.write_text(text, encoding="utf-8")
    assert load_study(path).name == yaml.safe_load(block)["study"]


@pytest.mark.parametrize("page", GUIDES)
def test_every_part_of_a_study_file_is_yaml_with_known_keys(page):
    known = {*study_schema()["properties"], "releases"}
    for block in blocks(page, "yaml"):
        content = yaml.safe_load(block)
        assert set(content) <= known or "apiVersion" in content


@pytest.mark.parametrize("page", GUIDES)
def test_every_program_of_a_page_compiles(page):
    for block in blocks(page, "python"):
        compile(block, page, "exec")
