"""Everything that commands say of themselves is in the catalogue of Portuguese."""

import argparse
import ast
import gettext
import inspect
import io
import os
import re

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment

from microleak.attacks.collective.frames import NO_EQUALITY, NOT_TRIED
from microleak.audit.crate import CRATE
from microleak.base.language import (
    DOMAIN,
    LOCALES,
    VARIABLE,
    speaking_language,
    spoken_language,
)
from microleak.base.paths import ROOT
from microleak.cli import command_parser, main
from microleak.cli.first_study import TEMPLATE
from microleak.cli.parser import commands_of, language_asked, texts_of_parser
from microleak.cli.protect import _file_sentences
from microleak.report.texts import voice
from microleak.run.display import step_name
from microleak.run.rounds import _spoken
from microleak.study.steps import steps_by_rule
from microleak.study_file.faults import _EXPECTED

FOLDER = LOCALES / "pt_BR/LC_MESSAGES"


@pytest.fixture(scope="module")
def catalogue():
    with (FOLDER / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale="pt_BR", domain=DOMAIN)


def marked():
    """Texts of the code that are translated, and names of parts that take long."""
    for path in (
        p for n in ("microleak", "papers/twins") for p in (ROOT / n).rglob("*.py")
    ):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            first = call.args[0]
            if name in {"_", "ngettext", "progress"} and isinstance(
                first, ast.Constant
            ):
                yield first.value
    environment = Environment(extensions=["jinja2.ext.i18n"])
    template = TEMPLATE.read_text(encoding="utf-8")
    yield from (text for *_, text in environment.extract_translations(template))


BY_VARIABLE = {
    *("changed", "missing", "not listed"),
    *("changed results", "settings", "code", "inputs"),
    *("with other bytes or rows", "with another receipt"),
    *("with another mark of twins", f"told otherwise by {CRATE}"),
    "told otherwise by records",
    *("constant", "number", "date", "category"),
    *("measuring the population", "measuring blocks", "measuring entities"),
    *("counting points", "rebuilding databases"),
    *_EXPECTED.values(),
    *(NOT_TRIED, NO_EQUALITY),
}
"""Kinds of columns, names of parts, and faults that the code gives by a variable."""


@pytest.fixture(scope="module")
def texts():
    """All that commands may say: of their options, in the code, and by variables."""
    of_help = {
        getattr(place, name) for place, name in texts_of_parser(command_parser())
    }
    assert len(of_help) > 30
    return {*of_help, *marked(), *BY_VARIABLE}


def test_every_text_has_a_translation(catalogue, texts):
    assert "{n} step to do" in texts and "walking subsets" in texts
    assert {text for text in texts if not catalogue.get(text)} == set()


def test_every_translation_is_of_a_text(catalogue, texts):
    of_argparse = inspect.getsource(argparse).replace("\\n", "\n")
    for message in catalogue:
        text = message.id if isinstance(message.id, str) else message.id[0]
        assert not text or text in texts or f"'{text}'" in of_argparse, text


def test_translations_keep_what_is_filled_in(catalogue):
    filled = re.compile(r"\{\w*\}|%\(\w+\)[rs]|%[rs]")
    for message in catalogue:
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            said = (
                message.string if isinstance(message.id, tuple) else (message.string,)
            )
            assert all(said), message.id
            for one, other in zip(ids, said, strict=True):
                assert sorted(filled.findall(one)) == sorted(filled.findall(other))


def test_the_catalogue_is_compiled(catalogue):
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    assert (FOLDER / f"{DOMAIN}.mo").read_bytes() == compiled.getvalue(), "make docs"


@pytest.mark.parametrize("lang", ["en", "pt"])
def test_every_step_has_a_name_in_words(lang):
    with speaking_language(lang):
        for step in steps_by_rule().values():
            wildcards = re.findall(r"\{(\w+)\}", "".join(step.makes.values()))
            name = step_name(step.rule, {each: f"[{each}]" for each in wildcards})
            assert name.split()[0] != step.rule
            shown = {each for each in wildcards if f"[{each}]" in name}
            assert shown == set(wildcards) or step.rule == "overlap"


def helped(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_is_in_portuguese_where_that_is_asked(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = helped(capsys, "--lang", "pt")
    assert said.startswith("uso: microleak")
    assert "executa um estudo, fazendo só o que ainda não foi feito" in said
    for name in commands_of(command_parser()):
        said = helped(capsys, name, "--lang=pt")
        assert "mostra esta ajuda e encerra" in said
    monkeypatch.setenv(VARIABLE, "pt")
    assert helped(capsys).startswith("uso: microleak")
    assert helped(capsys, "--lang", "en").startswith("usage: microleak")


def test_the_language_lasts_as_long_as_the_command(capsys, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the first command sets it
    before = dict(os.environ)
    helped(capsys, "--lang", "pt")
    assert os.environ == before
    assert spoken_language() == "en"
    assert gettext.gettext("no") == "no"
    assert helped(capsys).startswith("usage: microleak")


def test_the_systems_language_is_spoken_if_none_is_asked(monkeypatch, system, asked):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", VARIABLE):
        monkeypatch.delenv(name, raising=False)
    for name, value in system.items():
        monkeypatch.setenv(name, value)
    assert language_asked([]) == (asked, [])


def test_a_language_that_there_is_not_is_refused(capsys, monkeypatch):
    monkeypatch.setenv(VARIABLE, "fr")
    with pytest.raises(SystemExit) as ended:
        main(["run", "a.yaml"])
    assert ended.value.code == 2
    assert "MICROLEAK_LANG is 'fr'; it may be en or pt." in capsys.readouterr().err


def test_other_words_are_left_as_they_are(words, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert language_asked(words) == ("", words)
    assert language_asked([*words[:1], "--lang", "pt", *words[1:]]) == ("pt", words)


STUDY = """study: alunos
seed: 1
tables:
  registros:
    source: delimited
    options: {delimiter: ","}
    releases: {base: {archive: alunos.csv}}
qid_sets: {conhecidos: [sexo, idade]}
analyses:
  collective:
    - {name: base, table: registros, focal: base, qids: conhecidos, subsets: all}
report: {languages: [pt], audience: internal}
"""


def said_of(capsys, *words):
    assert main(["--lang", "pt", *words]) == 1
    return capsys.readouterr().err.removeprefix("microleak: ").rstrip()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("seed: 1", "sed: 1"), "alunos.yaml: o estudo não tem a chave 'sed'; seria"),
        (("seed: 1", "seed: um"), "alunos.yaml: seed é 'um', que não é do tipo inte"),
        (("seed: 1\n", ""), "alunos.yaml: o estudo não tem a chave obrigatória seed"),
        (("seed: 1", "seed: 1\nseed: 2"), "linha 3: uma chave aparece duas vezes. Co"),
        (("table: registros", "table: registro"), "não existe a tabela 'registro'. Se"),
        (("qids: conhecidos", "qids: conhecido"), "se refere ao conjunto de quase-id"),
        (
            ("subsets: all", "subsets: all, sensitive: [idade]"),
            "idade é ao mesmo tempo quase-identificador e sensível.",
        ),
        (
            ("audience: internal", "audience: publik"),
            "report.audience é 'publik', que não está entre internal, public.",
        ),
        (("focal: base", "focal: bas"), "registros não tem a divulgação 'bas'. Seria"),
        (("sexo, idade", "sexo, idad"), "alunos.csv: linha 1 não tem a coluna idad. S"),
        (('","', '";"'), "os valores deveriam estar separados por ';', mas o se"),
        (("alunos.csv", "aluno.csv"), "registros base: o arquivo aluno.csv não existe"),
    ],
)
def test_a_study_is_refused_in_portuguese(change, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alunos.csv").write_text("sexo,idade\nF,1\nM,2\n")
    (tmp_path / "alunos.yaml").write_text(STUDY.replace(*change))
    assert said in said_of(capsys, "run", "alunos.yaml")


def test_commands_refuse_in_portuguese_what_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("sexo,idade\nF,1\nM,2\n")
    (tmp_path / "alunos.yaml").write_text(STUDY.replace("alunos.csv", "a.csv"))
    (tmp_path / "b.yaml").touch()
    said = said_of(capsys, "run", "c.yaml")
    assert said == "O arquivo de estudo c.yaml não existe. Seria b.yaml?"
    said = said_of(capsys, "init", "a.csv", "--to", "b.yaml")
    assert said == "b.yaml já existe. Indique outro arquivo com --to."
    said = said_of(capsys, "assess", "a.csv", "--qids", "sexo,idad")
    assert said.endswith(
        "não tem a coluna idad. Seria idade? Corrija --qids ou --delimiter."
    )
    said = said_of(capsys, "assess", "a.csv", "--qids", "idade", "--delimiter", ";")
    assert said.endswith("Corrija --delimiter.")
    said = said_of(capsys, "protect", "alunos.yaml", "--recipe", "x", "-o", "x.csv")
    assert said.startswith("alunos.yaml não tem protections. Acrescente")


def test_verify_speaks_portuguese(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/a").mkdir(parents=True)
    said = said_of(capsys, "verify", "results/a")
    assert said == (
        "results/a não tem manifest.json. Gere-o com microleak run e o arquivo de "
        "estudo."
    )
    said = said_of(capsys, "target", "results/a", "--known", "x=1", "--table", "t")
    assert said == "Para results/a, indique --table e --focal."
    said = said_of(capsys, "export", "results/a", "--format", "xls")
    assert said.startswith("--format: não existe o formato 'xls'. Seria 'xlsx'? As op")


def test_what_is_wrong_or_not_there_in_a_file_is_told_in_portuguese(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("sexo,idade\nF,1\nM,2,3\n")
    told = said_of(capsys, "assess", str(path))
    assert "a linha 3 tem 3 valores, mas o cabeçalho tem 2: a linha está cort" in told
    path.write_text("sexo,idade\nF,1\nM,2\n")
    assert main(["--lang", "pt", "target", str(path), "--known", "idade=7"]) == 0
    told = capsys.readouterr().err
    assert "nenhum registro corresponde a tudo o que se sabe." in told


def test_why_a_step_is_done_again_is_told_in_portuguese():
    with speaking_language("pt"):
        assert _spoken("other settings") == "mudança em: configurações"
        assert _spoken("other code and inputs") == "mudança em: código e entradas"
        assert _spoken("changed results") == "resultados alterados"


def test_what_protect_wrote_is_said_in_portuguese(tmp_path):
    changes = [{"n_suppressed": 3, "n_suppressed_at_least": 3}]
    told = {
        "protections": [{"name": "safe", "n_records": 1500, "changes": changes}],
        "file": {"columns": ["idade"], "layout": "a.txt.layout.csv", "wider": []},
    }
    with speaking_language("pt"):
        first, columns, layout, cells = _file_sentences(
            told, tmp_path / "a.txt", voice("pt")
        )
    assert "a.txt tem 1.500 registros, e " in first
    assert columns.startswith("as colunas são as que os passos e as análises")
    assert layout.endswith("estão na mesma posição que na divulgação.")
    assert cells.startswith("safe: células tornadas ausentes: 3")
