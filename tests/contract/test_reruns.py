"""A file of one family reruns no step of another, and no other's profile."""

import re
from dataclasses import replace
from functools import cache

import pytest

from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from microleak.study import fingerprint
from microleak.study.fingerprint import _modules_followed, code_now
from microleak.study.steps import steps_by_rule
from microleak.study.tables import result_tables
from microleak.tables.spec import Column, tables_of
from tests.contract.families import PAGE_RULES, own_files, rules_of


@cache
def modules_of(rule):
    return _modules_followed(steps_by_rule()[rule].modules)


@cache
def data_of(rule):
    """Files besides modules that it depends on; tables.yaml counts by its tables."""
    return {path for each in steps_by_rule()[rule].data for path in ROOT.glob(each)}


def rerun_by(path):
    """Rules that would run again if a byte of a module or another file changed."""
    module = path.removesuffix(".py").replace("/", ".")
    return [
        rule
        for rule in steps_by_rule()
        if module in modules_of(rule) or ROOT / path in data_of(rule)
    ]


def leaks(family):
    for path in own_files(family):
        found = rerun_by(path)
        others = {*found} - {*rules_of(family), *PAGE_RULES}
        if others:
            yield f"{path} reruns of other families: {', '.join(sorted(others))}"


def test_every_rule_has_a_fingerprint_that_sees_what_its_modules_import():
    """Else the tests below would find nothing, whatever is imported."""
    assert all(modules_of(rule) for rule in steps_by_rule())
    assert "profile" in rerun_by("microleak/kernels/walk.py")


OF_A_STUDY = {
    *("ingest", "deduplicate", "count_rows", "profile", "measure", "entropy"),
    *("states", "importance", "compare", "publish", "draw", "report", "audit"),
}
"""Rules of a study of one collective analysis."""


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        ("microleak/kernels/walk.py", {"profile"}),
        (
            "microleak/attacks/collective/definitions/attribute_inference.py",
            {"measure"},
        ),
        ("microleak/figures/svg.py", {"draw", "report"}),
        ("microleak/report/texts/page.yaml", {"draw", "report"}),
        ("microleak/report/templates/page.css", {"report"}),
    ],
)
def test_code_reruns_what_depends_on_it_and_no_more(path, rules):
    assert OF_A_STUDY.intersection(rerun_by(path)) == rules


@pytest.mark.parametrize("rule", steps_by_rule())
def test_what_a_script_imports_is_code_of_its_rule(rule):
    script = ROOT / f"scripts/{rule}.py"
    imported = re.findall(r"^from (microleak[\w.]+) import", script.read_text(), re.M)
    # What a run does for each job, whose results do not follow from it.
    of_runs = {name for name in imported if name.startswith("microleak.run.")}
    assert {*imported} - of_runs <= modules_of(rule).keys()


each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)


@each_family
def test_how_a_study_file_is_read_and_words_are_code_of_what_reads_them(family):
    # By name, which imports do not tell.
    assert all(family.section in modules_of(rule) for rule in ("publish", "audit"))
    # What steps are called while they run is in no result, nor what only a function
    # on frames returns.
    apart = (".py", "tables.yaml", "assess.yaml")
    others = [path for path in own_files(family) if not path.endswith(apart)]
    assert others
    assert all("report" in rerun_by(path) for path in others)


@each_family
def test_a_byte_of_a_family_reruns_its_own_steps_and_none_of_another(family):
    found = {rule for path in own_files(family) for rule in rerun_by(path)}
    assert {*rules_of(family)} - {"overlap"} <= found
    assert not [*leaks(family)]


@pytest.mark.parametrize(
    ("table", "rerun"),
    [
        ("collective", {"measure", "importance", "gain", "compare", "draw", "report"}),
        ("entropy", {"entropy", "states", "report"}),
        ("uniques", {"membership", "report"}),
        ("further", {"target"}),
    ],
)
def test_a_new_column_reruns_only_what_writes_or_reads_its_table(
    table, rerun, monkeypatch
):
    before = {rule: code_now(step) for rule, step in steps_by_rule().items()}
    spec = result_tables()[table]
    more = replace(spec, columns=(*spec.columns, Column("more", "string", {})))
    packages = "microleak.study", *(family.package for family in FAMILIES)
    changed = {
        each: {n: more if n == table else t for n, t in tables_of(each).items()}
        for each in packages
    }
    monkeypatch.setattr(fingerprint, "tables_of", changed.__getitem__)
    monkeypatch.setattr(
        fingerprint, "result_tables", lambda: {**result_tables(), table: more}
    )
    now = {rule: code_now(step) for rule, step in steps_by_rule().items()}
    assert {rule for rule in now if now[rule] != before[rule]} == rerun


@pytest.mark.parametrize("step", steps_by_rule().values(), ids=lambda step: step.rule)
def test_a_fingerprint_has_every_table_that_a_step_writes_or_reads(step):
    found = [t.name for t in fingerprint._tables(step)]
    written = [
        t.name for t in result_tables().values() if t.path in step.makes.values()
    ]
    assert sorted({*found}) == sorted({*written, *step.reads})


def test_what_is_said_of_a_column_reruns_no_measure():
    spec = result_tables()["collective"]
    told = [replace(each, meaning={"en": "Other."}) for each in spec.columns]
    assert replace(spec, columns=tuple(told)).digest == spec.digest


@pytest.mark.parametrize("part", ["attributes", "context", "faults", "model", "shell"])
def test_what_only_checks_a_study_file_reruns_no_measure(part):
    found = {*rerun_by(f"microleak/study_file/{part}.py")}
    assert found <= {"publish", "report", "audit"}


@pytest.mark.parametrize("part", ["spec", "files"])
def test_how_tables_are_checked_reruns_no_profile(part):
    profiles = {
        rule
        for rule, step in steps_by_rule().items()
        if any(path.startswith("profiles/") for path in step.makes.values())
    }
    assert profiles
    assert not profiles & {*rerun_by(f"microleak/tables/{part}.py")}
