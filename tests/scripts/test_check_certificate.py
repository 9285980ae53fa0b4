"""The program that checks certificates finds what was changed in them."""

import ast
import json
import subprocess
import sys

import pytest

import microleak
from microleak.base.paths import ROOT
from scripts.check_certificate import check, is_list, main, refutes, stepped
from tests.attacks.table_rebuilding.test_table_rebuilding import two_threes

PROGRAM = ROOT / "scripts/check_certificate.py"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    tables = []
    for name, (text, how) in two_threes().items():
        (folder / name).write_text(text, encoding="utf-8")
        tables.append({"file": str(folder / name), **how})
    domains = {"w": ["1", "2"]}
    rebuilt = microleak.table_rebuilding(tables, domains=domains)
    ages = folder / "ages.csv"
    ages.write_text("sex,count,median,mean\nM,3,30.0,44.0\n", encoding="utf-8")
    files = [{"file": str(ages)}]
    answered = microleak.query_answers(None, "age", 1, 125, tables=files)
    found = {"tables": rebuilt.proofs, "answers": answered.proofs}
    return {form: json.dumps(told) for form, told in found.items()}


def claims(told, form):
    """The list of claims of a certificate, or of its one region."""
    (region,) = told["regions"]
    return (region["tables"][0] if form == "answers" else region)["claims"]


def parts(told):
    if isinstance(told, dict):
        yield told
    if isinstance(told, dict | list):
        for part in told.values() if isinstance(told, dict) else told:
            yield from parts(part)


FORMS = ("tables", "answers")


@pytest.mark.parametrize("form", FORMS)
def test_a_certificate_holds_and_its_claims_are_counted(certificates, form, tmp_path):
    told = json.loads(certificates[form])
    assert [*check(told)] == []
    file = tmp_path / "certificate.json"
    file.write_text(certificates[form], encoding="utf-8")
    command = [sys.executable, PROGRAM, file]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n = len(claims(told, form))
    if form == "answers":  # of both sides, no other tables, and no other databases
        n = 2 * n + 2
    assert done.stdout == f"{n} claims hold.\n"


def off_by_one(told, form):
    (region,) = told["regions"]
    if form == "tables":
        region["databases"][0][0][1] += 1
    else:
        region["tables"][0]["databases"][0][0] += 1


def claimed_off_by_one(told, form):
    next(c for c in claims(told, form) if c.get("largest"))["largest"] -= 1


def multiplier_changed(told, form):
    rows = [p["rows"] for p in parts(told) if isinstance(p.get("rows"), dict)]
    multipliers = next(each for each in rows if each)
    multipliers[next(iter(multipliers))] *= -1


def case_left_out(told, form):
    next(part for part in parts(told) if "above" in part).pop("above")


def fraction(told, form):
    claims(told, form)[0]["least"] += 0.0


def claim_removed(told, form):
    claims(told, form).pop()


FAULTS = (off_by_one, claimed_off_by_one, multiplier_changed, fraction, claim_removed)
PLANTED = [(form, fault) for form in FORMS for fault in FAULTS]
PLANTED.remove(("answers", multiplier_changed))  # their proofs here are of cases alone
PLANTED += [(form, case_left_out) for form in FORMS]


@pytest.mark.parametrize(("form", "fault"), PLANTED)
def test_a_fault_is_found_and_ends_with_status_1(certificates, form, fault, tmp_path):
    told = json.loads(certificates[form])
    fault(told, form)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    said = next(check(told))
    with pytest.raises(SystemExit) as stopped:
        main(file)
    assert stopped.value.code == f"{file}: {said}"
    assert (said == "a number is not whole") == (fault is fraction)


@pytest.mark.parametrize("form", FORMS)
def test_no_other_certificate_can_be_put_before_one(certificates, form):
    told = json.loads(certificates[form])
    claims(told, form).pop()
    assert [*check(told | {"sizes": {}})] == [*check(told)] != []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"regions": 1}', '{"witnesses": []}'])
def test_what_is_no_certificate_gets_one_line(text, tmp_path):
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match="is no certificate of microleak"):
        main(file)


PAIRS = [(0, 1), (1, 2), (0, 2)]
ODD = {
    2 * n + side: {"low": sign, "factors": [(a, sign), (b, sign)]}
    for n, (a, b) in enumerate(PAIRS)
    for side, sign in enumerate((1, -1))
}
"""Each two of three numbers add up to 1, as those that are not whole can."""


def test_cases_are_refuted_each(proof, is_refuted):
    assert refutes(proof, ODD, [0] * 3, [1] * 3) is is_refuted


def test_rows_add_up_to_what_is_impossible(multipliers, is_refuted):
    """Three sums of 1 are 3 together, and twice all numbers 2 at most."""
    rows = ODD | {6: {"low": -2, "factors": [(n, -2) for n in range(3)]}}
    none = [0] * 3, [float("inf")] * 3
    assert refutes({"sum": multipliers}, rows, *none) is is_refuted


def test_a_list_is_within_bounds_and_as_rows_say():
    rows, low, high = [ODD[0], ODD[1]], [0] * 3, [1, 1, 4]
    assert is_list([0, 1, 4], rows, low, high)
    for numbers in ([0, 1, 5], [0, 1, -1], [1, 1, 4], [0, 0, 4]):
        assert not is_list(numbers, rows, low, high)


def test_a_step_whose_case_is_not_refuted_narrows_nothing():
    steps = [(0, 0, 1, {"rows": [1]})], ODD
    assert stepped(*steps, [0, 1, 0], [1] * 3) == ([0, 1, 0], [0, 1, 1])
    assert stepped(*steps, [0] * 3, [1] * 3) == ([0] * 3, [1] * 3)


def test_a_row_of_ranks_neither_narrows_nor_adds_up():
    """The larger one of two numbers is 3, which tells nothing of the other one."""
    row = {"low": 3, "factors": [(0, 1), (1, 1)], "ranks": slice(1, 2)}
    rows, bounds = {("ranks", 0): row}, ([0, 0], [3, 3])
    assert not refutes({"rows": [("ranks", 0)]}, rows, *bounds)
    assert refutes({"rows": [("ranks", 0)]}, rows, [0, 0], [2, 2])
    assert not refutes({"rows": [("ranks", 0)]}, rows, [0, 0], [0, 3])


def test_only_listed_numbers_are_left_out():
    cases = {"number": 0, "cases": [{}, {"number": 0, "at_most": 1, "cases": [{}, {}]}]}
    assert refutes(cases, {}, [0], [2], [[0], [1], [2]])
    assert not refutes(cases, {}, [0], [2], [[0], [2]])
    assert not refutes(cases, {}, [0], [3], [[0], [1], [2]])


def test_what_decides_is_seventy_lines_of_plain_python():
    text = PROGRAM.read_text("utf-8")
    tree = ast.parse(text)
    quoted = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = [*enumerate(text.splitlines(), 1)]
    first = next(n for n, line in lines if line.startswith("NOTHING"))
    last = next(n for n, line in lines if line.startswith("# What"))
    counted = [n for n, line in lines[first - 1 : last - 1] if line and n not in quoted]
    assert len(counted) <= 70
    imported = [node for node in tree.body if isinstance(node, ast.Import)]
    assert {each.names[0].name for each in imported} == {"json", "sys"}
