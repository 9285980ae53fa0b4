import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from microleak.base import paths
from microleak.base.errors import StudyError
from microleak.base.paths import ROOT
from microleak.sources.definitions.definition import source_definition
from microleak.study import fingerprint as module
from microleak.study.fingerprint import (
    code_fingerprint,
    fingerprint_of_modules,
    reading_state,
)
from microleak.study.steps import jobs_of
from tests.study_file.given import loaded
from tests.workflow.conftest import TWIN_STUDY

SOURCES = {
    "__init__.py": "",
    "alone.py": "ALONE = 1\n",
    "errors.py": "ERROR = 1\n",
    "a/__init__.py": "from microleak.errors import ERROR\n",
    "a/top.py": "from microleak.b import middle\n",
    "a/late.py": "def f():\n    import microleak.b.bottom\n    return microleak\n",
    "b/__init__.py": "",
    "b/middle.py": "from . import bottom\nfrom .deep.leaf import LEAF\n",
    "b/bottom.py": "BOTTOM = 1\n",
    "b/deep/__init__.py": "",
    "b/deep/leaf.py": "from ..bottom import BOTTOM\nfrom ...alone import ALONE\n",
    "b/round.py": "from microleak.b import trip\n",
    "b/trip.py": "import microleak.b.round\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "microleak"
    for name, source in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(source.encode())
    monkeypatch.setattr(paths, "PACKAGE", folder)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    return folder


def changed_by(package, *modules):
    before = fingerprint_of_modules(*modules)
    changing = set()
    for name, source in SOURCES.items():
        (package / name).write_bytes(source.encode() + b"# remark\n")
        if fingerprint_of_modules(*modules) != before:
            changing.add(name)
        (package / name).write_bytes(source.encode())
    return changing


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("microleak.alone", {"alone.py"}),
        ("microleak.b.bottom", {"b/__init__.py", "b/bottom.py"}),
        (
            "microleak.b.deep.leaf",
            {"b/__init__.py", "b/deep/__init__.py", "b/deep/leaf.py"}
            | {"b/bottom.py", "alone.py"},
        ),
        (
            "microleak.a.late",
            {"a/__init__.py", "a/late.py", "b/__init__.py", "b/bottom.py"}
            | {"errors.py"},
        ),
        (
            "microleak.a.top",
            set(SOURCES) - {"__init__.py", "a/late.py", "b/round.py", "b/trip.py"},
        ),
        ("microleak.b.round", {"b/__init__.py", "b/round.py", "b/trip.py"}),
        ("microleak.a", {"a/__init__.py", "errors.py"}),
    ],
)
def test_a_change_of_what_a_module_imports_and_no_other_is_seen(package, name, files):
    assert changed_by(package, name) == {"__init__.py", *files}


def test_the_order_of_the_arguments_does_not_matter(package):
    names = ["microleak.alone", "microleak.a.top"]
    files = [package / "alone.py", package / "errors.py"]
    assert fingerprint_of_modules(*names, files=files) == fingerprint_of_modules(
        *reversed(names), files=reversed(files)
    )


def test_the_folder_does_not_matter(package, tmp_path, monkeypatch):
    before = fingerprint_of_modules("microleak.a.top"), code_fingerprint()
    shutil.copytree(package, tmp_path / "elsewhere" / "microleak")
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "elsewhere" / "microleak")
    monkeypatch.setattr(paths, "ROOT", tmp_path / "elsewhere")
    assert (fingerprint_of_modules("microleak.a.top"), code_fingerprint()) == before


def test_line_ends_of_windows_do_not_matter(package):
    before = fingerprint_of_modules("microleak.a.late"), code_fingerprint()
    late = package / "a/late.py"
    late.write_bytes(late.read_bytes().replace(b"\n", b"\r\n"))
    assert (fingerprint_of_modules("microleak.a.late"), code_fingerprint()) == before


def test_two_modules_that_swap_their_sources_are_seen(package):
    names = "microleak.alone", "microleak.errors"
    before = fingerprint_of_modules(*names)
    (package / "alone.py").write_text(SOURCES["errors.py"])
    (package / "errors.py").write_text(SOURCES["alone.py"])
    assert fingerprint_of_modules(*names) != before


def test_nothing_is_executed(package):
    (package / "alone.py").write_text("raise SystemExit\n")
    assert len(fingerprint_of_modules("microleak.alone")) == 64


def test_a_data_file_counts_by_name_and_content(package, tmp_path):
    names = tmp_path / "names.csv"
    names.write_text("2018,2019\n")
    first = fingerprint_of_modules("microleak.alone", files=[names])
    names.write_text("2018,2020\n")
    second = fingerprint_of_modules("microleak.alone", files=[names])
    third = fingerprint_of_modules(
        "microleak.alone", files=[names.rename(tmp_path / "n.csv")]
    )
    assert len({fingerprint_of_modules("microleak.alone"), first, second, third}) == 4


def test_data_files_of_one_name_that_swap_their_contents_are_seen(package, tmp_path):
    files = [tmp_path / "a/en.yaml", tmp_path / "b/en.yaml"]
    found = set()
    for texts in (("one", "two"), ("two", "one")):
        for file, text in zip(files, texts, strict=True):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        found.add(fingerprint_of_modules("microleak.alone", files=files))
    assert len(found) == 2


def test_a_module_or_a_data_file_that_does_not_exist_is_named(package):
    with pytest.raises(StudyError, match=r"no module microleak\.b\.gone"):
        fingerprint_of_modules("microleak.alone", "microleak.b.gone")
    with pytest.raises(StudyError, match=r"no data file .*gone\.csv"):
        fingerprint_of_modules("microleak.alone", files=[Path("gone.csv")])


CHECKOUT = (
    *("Snakefile", "scripts/measure.py", "workflow/rules/people.smk"),
    "papers/twins/survey.py",
    *("config/names/census.csv", "config/recodes/a.csv", "config/domains/a.csv"),
    *("config/layouts/a.csv", "config/crosswalks/a.csv", "config/sources/a.yaml"),
)


@pytest.fixture
def checkout(package):
    for name in CHECKOUT:
        (package.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (package.parent / name).write_text(name)
    return package.parent


def is_seen(root, name):
    """Say whether another content of a file, or a file more, is other code."""
    before = code_fingerprint()
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("changed")
    return code_fingerprint() != before


OF_THE_PACKAGE = ("alone.py", "b/deep/leaf.py", "report/page.html", "new.py")


@pytest.mark.parametrize(
    "name", [*CHECKOUT, *(f"microleak/{name}" for name in OF_THE_PACKAGE)]
)
def test_all_that_can_change_a_result_is_code(checkout, name):
    assert is_seen(checkout, name)


@pytest.mark.parametrize(
    "name",
    [
        *("config/my-study.yaml", "config/examples/a.yaml", "config/schema.yaml"),
        *("docs/audit.md", "README.md", "tests/test_a.py", "profiles/slurm/a.yaml"),
        *("microleak/__pycache__/alone.pyc", "microleak/b/.alone.py.swp"),
        *("scripts/__pycache__/measure.pyc", "scripts/.measure.py.swp"),
    ],
)
def test_studies_pages_tests_and_by_products_are_no_code(checkout, name):
    assert not is_seen(checkout, name)


def test_an_installed_package_is_the_code_of_its_checkout(checkout, monkeypatch):
    before = code_fingerprint()
    for name in CHECKOUT:
        copy = checkout / "microleak/project" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(checkout / name, copy)
    monkeypatch.setattr(paths, "ROOT", checkout / "microleak/project")
    assert code_fingerprint() == before
    assert not is_seen(checkout, "microleak/project/config/my-study.yaml")
    assert is_seen(checkout, "microleak/project/scripts/measure.py")


def test_what_lies_beside_an_installed_package_is_no_code(package, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", package / "project")
    assert not is_seen(package.parent, "scripts/of_others.py")
    assert not is_seen(package.parent, "config/names/of_others.csv")
    assert is_seen(package.parent, "microleak/alone.py")


def test_files_that_swap_their_contents_are_other_code(checkout):
    before = code_fingerprint()
    one, other = checkout / "Snakefile", checkout / "scripts/measure.py"
    first, second = one.read_text(), other.read_text()
    one.write_text(second)
    other.write_text(first)
    assert code_fingerprint() != before


def test_the_command_of_the_documentation_gives_the_fingerprint(checkout):
    text = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\$ (find Snakefile .*)$", text, re.MULTILINE)
    (checkout / "scripts/__pycache__").mkdir()
    (checkout / "scripts/__pycache__/measure.pyc").write_text("by-product")
    (checkout / "microleak/a b.py").write_text("name with a space")
    told = subprocess.run(
        ["bash", "-c", line], cwd=checkout, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == [code_fingerprint(), "-"]


def test_the_real_walk_depends_on_its_kernels():
    names = set(module._modules_followed(["microleak.attacks.collective.profile"]))
    assert {"microleak.kernels.walk", "microleak.kernels.blocks"} <= names
    assert "microleak.sources.steps.ingest" not in names


def test_another_version_of_a_package_counts_where_it_is_imported(package, monkeypatch):
    (package / "b/bottom.py").write_text("import pyarrow.parquet as pq\n")
    names = "microleak.alone", "microleak.b.deep.leaf"
    before = [fingerprint_of_modules(name) for name in names]
    monkeypatch.setattr(
        module, "_package_version", lambda name, _: {"pyarrow": "1000"}[name]
    )
    after = [fingerprint_of_modules(name) for name in names]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False]


def test_a_version_is_looked_up_again_once_another_is_installed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for number in ("1.0", "2.0"):
        folder = tmp_path / "thing.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: thing\nVersion: {number}\n")
        os.utime(tmp_path, (0, float(number)))
        assert module.package_versions(["thing"])["thing"] == number
        shutil.rmtree(folder)


def test_another_version_of_python_counts_for_every_module(package, monkeypatch):
    found = []
    for number in ("3.11.9", "3.11.14", "3.99.0"):
        monkeypatch.setattr(module.platform, "python_version", lambda n=number: n)
        found.append(fingerprint_of_modules("microleak.alone"))
    assert found[0] == found[1], "a bug-fix release is no other version"
    assert found[1] != found[2]


@pytest.mark.parametrize(
    ("rule", "packages"),
    [
        ("microleak.attacks.collective.profile", {"numba", "numpy", "pyarrow"}),
        ("microleak.sources.steps.ingest", {"numba", "pyarrow"}),
        ("microleak.sources.steps.deduplicate", {"duckdb"}),
        ("microleak.study.pages", {"babel", "jinja2", "pandas"}),
        ("microleak.attacks.collective.report.pages", {"babel", "matplotlib"}),
    ],
)
def test_the_real_rules_depend_on_the_packages_that_they_use(rule, packages):
    found = set(module._versions_imported(module._modules_followed([rule])))
    assert packages <= found
    assert ("matplotlib" in found) == ("matplotlib" in packages)


CENSUS = source_definition("inep_school_census", "2013", {})
READ = ("CO_ENTIDADE", "TP_SEXO")


@pytest.mark.parametrize(
    "other",
    [
        replace(CENSUS, linked=((2007, 2010),)),
        replace(CENSUS, columns=("ANOTHER",)),
        replace(CENSUS, unreleased=(*CENSUS.unreleased, "NU_NOVO")),
        replace(CENSUS, names={**CENSUS.names, "NU_MES": "MES"}),
        replace(CENSUS, domains={**CENSUS.domains, "NU_MES": CENSUS.domains["NU_DIA"]}),
        replace(CENSUS, recodes={**CENSUS.recodes, "NU_MES": {"1": "01"}}),
    ],
    ids=["linked", "columns", "unreleased", "name", "domain", "codes"],
)
def test_what_is_not_read_does_not_change_how_a_release_is_read(other):
    assert reading_state(other, READ) == reading_state(CENSUS, READ)


@pytest.mark.parametrize(
    "other",
    [
        replace(CENSUS, delimiter=";"),
        replace(CENSUS, unreleased=("TP_SEXO",)),
        replace(CENSUS, names={**CENSUS.names, "TP_SEXO": "SEXO"}),
        replace(CENSUS, names={**CENSUS.names, "ID_ALUNO": "CO_ALUNO"}),
        replace(
            CENSUS, domains={**CENSUS.domains, "TP_SEXO": CENSUS.domains["NU_DIA"]}
        ),
        replace(CENSUS, recodes={**CENSUS.recodes, "TP_SEXO": {"X": "1"}}),
        replace(CENSUS, layout=replace(CENSUS.layout, n_bytes=1)),
    ],
    ids=["form", "unreleased", "name", "person", "domain", "codes", "layout"],
)
def test_what_is_read_changes_how_a_release_is_read(other):
    assert reading_state(other, READ) != reading_state(CENSUS, READ)


def test_how_a_release_is_read_is_a_setting_of_its_job(tmp_path):
    study = loaded(tmp_path, TWIN_STUDY)
    (job,) = (job for job in jobs_of(study) if job.rule == "ingest")
    definition = source_definition("inep_school_census", "2018", {})
    attributes = study.attributes("school_census", "2018")
    assert job.settings["reading"] == reading_state(definition, attributes)


def test_all_domains_of_a_table_that_names_its_attributes_itself_are_read():
    options = [{"domains": {"age": pattern}} for pattern in ("[0-9]+", "[0-9]*")]
    one, other = (source_definition("delimited", "1", given) for given in options)
    assert reading_state(one, ["sex"]) != reading_state(other, ["sex"])
