"""`microleak check` on the results of a study that ran."""

import json
from hashlib import sha256

import pytest

from microleak.cli import main

HEAD = "version: 1\nname: Public release\nlimits:\n"
LIMITS = {
    0: "  - {name: shares, measure: collective.posterior_prob, at_most: 1}\n",
    1: "  - {name: alone, measure: collective.n_certain, at_most: 0}\n",
    2: "  - {name: nobody, measure: published_file.n_alone, at_least: 0, "
    "where: {focal: never}}\n",
}


@pytest.mark.parametrize("status", LIMITS)
def test_it_exits_with_what_came_of_all_limits(demo, tmp_path, capsys, status):
    policy = tmp_path / "policy.yaml"
    policy.write_text(HEAD + LIMITS[0] + LIMITS[status].replace("shares", "more"))
    files = [tmp_path / name for name in ("check.json", "check.xml")]
    words = [demo, "--policy", policy, "--result", files[0], "--junit", files[1]]
    before = {path: path.read_bytes() for path in demo.rglob("*.json")}
    assert main(["--lang", "en", "check", *map(str, words), "--github"]) == status
    shown = capsys.readouterr().out
    assert shown.startswith("shares: kept: collective.posterior_prob at most 1")
    assert (f"::error file={policy},line=5::" in shown) == (status > 0)
    told = json.loads(files[0].read_text("utf-8"))
    assert told["policy_sha256"] == sha256(policy.read_bytes()).hexdigest()
    assert [each["status"] == "kept" for each in told["limits"]] == [True, not status]
    assert before == {path: path.read_bytes() for path in demo.rglob("*.json")}
    assert "<testsuite" in files[1].read_text("utf-8")


def test_a_policy_that_cannot_be_read_is_no_limit_that_is_broken(
    demo, tmp_path, capsys
):
    policy = tmp_path / "policy.yaml"
    policy.write_text("study: town\n")
    assert main(["--lang", "en", "check", str(demo), "--policy", str(policy)]) == 2
    said = capsys.readouterr().err
    assert "the policy has no key 'study'" in said
    assert said.count("\n") == 1
