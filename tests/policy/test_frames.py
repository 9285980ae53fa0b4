"""A policy tried on one frame and on one file, and at the end of a run."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml

import microleak
from microleak.base.errors import StudyError
from microleak.cli import main

QIDS = ("age", "sex", "town")
POLICY = """version: 1
name: Planted
sensitive: [ill]
facts: {{any: {any}}}
limits:
  - {{name: alike, measure: anonymity.k_anonymity, at_least: {k}}}
  - name: found
    measure: collective.posterior_prob
    where: {{attack: CRS}}
    at_most: "{share}"
  - name: told
    measure: collective.posterior_det
    where: {{attack: CAS}}
    at_most: "{told}"
"""


def planted(most, k, share, told):
    return yaml.safe_load(POLICY.format(any=most, k=k, share=share, told=told))


def people_at_random(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    age = np.repeat(rng.integers(20, 23, n), 2)
    sex, town = rng.choice(["m", "f"], n), rng.choice(["a", "b"], n)
    ill = rng.choice(["y", "n", ""], 2 * n)
    columns = {"age": age, "sex": np.repeat(sex, 2), "town": np.repeat(town, 2)}
    return pd.DataFrame({**columns, "ill": ill}).astype(str)


def worst_of(people, most):
    """Return least block, largest share of blocks, and of people told their illness."""
    sets = [s for n in range(1, most + 1) for s in combinations(QIDS, n)]
    found = []
    for facts in sets:
        rows = [tuple(row) for row in people[[*facts]].to_numpy()]
        ill = dict.fromkeys(rows, frozenset())
        for row, value in zip(rows, people["ill"], strict=True):
            ill[row] |= {value}
        n_told = sum(len(ill[row]) == 1 for row in rows)
        sizes = Counter(rows)
        found.append((min(sizes.values()), len(sizes), n_told))
    least, blocks, told = zip(*found, strict=True)
    n = len(people)
    return min(least), Fraction(max(blocks), n), Fraction(max(told), n)


@pytest.mark.parametrize("seed", range(40))
def test_forty_violations_are_found_and_no_other(seed):
    people, most = people_at_random(seed), 1 + seed % 2
    k, share, told = worst_of(people, most)
    kept = microleak.check(people, planted(most, k, share, told))
    assert kept["status"].eq("kept").all()
    one, n, which = Fraction(1, 1000), len(people), seed % (3 if told else 2)
    limits = [k, share, told]
    limits[which] = [k + 1, share - one, told - one][which]
    found = microleak.check(people, planted(most, *limits))
    assert found.index[found["status"] == "broken"].tolist() == [which]
    worst = float([k, share, told][which])
    assert found["worst"][which] == pytest.approx(worst, abs=1 / n / 1000)
    assert found["qids"][which].count("|") < most


def test_facts_that_a_policy_names_are_those_that_are_known(tmp_path):
    people, path = people_at_random(1), tmp_path / "policy.yaml"
    text = POLICY.format(any=2, k=1, share=1, told=1)
    path.write_text(text.replace("{any: 2}", "{sets: [[age, sex]]}"))
    assert microleak.check(people, path)["n_rows"].tolist() == [3, 3, 3]
    assert microleak.check(people, path, qids=["age"])["n_rows"].tolist() == [1, 1, 1]


def test_a_limit_of_any_facts_is_tried_on_all_columns(tmp_path):
    policy = planted(1, 1, 1, 1)
    sets = {"facts": {"sets": [["sex"]]}, "name": "sets"}
    policy["limits"].append({**policy["limits"][0], **sets})
    found = microleak.check(people_at_random(1), policy)
    assert found["n_rows"].tolist() == [3, 3, 3, 1]


def test_a_fact_that_is_sensitive_is_refused():
    policy = planted(1, 1, 1, 1) | {"facts": {"sets": [["age", "ill"]]}}
    with pytest.raises(StudyError, match="ill as a fact and as sensitive"):
        microleak.check(people_at_random(1), policy)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("published_file.n_alone", "which one file does not tell"),
        ("g_leakage.g_leakage", "and names none. Add sensitive"),
    ],
)
def test_what_one_file_does_not_tell_is_refused(tmp_path, measure, said):
    path = tmp_path / "policy.yaml"
    limit = f"{{name: a, measure: {measure}, at_most: 0}}"
    path.write_text(f"version: 1\nname: p\nlimits: [{limit}]\n")
    with pytest.raises(StudyError, match=said):
        microleak.check(people_at_random(1), path)


def test_a_file_is_checked_by_the_same_command(tmp_path, capsys):
    people, path = people_at_random(2), tmp_path / "policy.yaml"
    file, result = tmp_path / "town.csv", tmp_path / "result.json"
    people.assign(key=range(len(people))).to_csv(file, index=False)
    k, share, told = worst_of(people, 2)
    path.write_text(POLICY.format(any=2, k=k + 1, share=share, told=told))
    words = ["--lang", "en", "check", str(file), "--policy", str(path)]
    words += ["--person-id", "key"]
    assert main([*words, "--result", str(file / "where")]) == 2
    assert main(words) == 1
    assert not [*tmp_path.glob("*.json")]
    assert main([*words, "--result", str(result)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("alike: BROKEN: anonymity.k_anonymity at least")
    assert "key" not in shown
    assert "(qids " in shown
    told_as = json.loads(result.read_text("utf-8"))
    assert [each["status"] for each in told_as["limits"]] == ["broken", "kept", "kept"]
    assert len(told_as["file_sha256"]) == 64


STUDY = """study: town
seed: 1
policy: policy.yaml
tables:
  town:
    source: delimited
    options: {delimiter: ",", encoding: utf-8, missing: [""]}
    releases: {"2023": {archive: town.csv}}
analyses:
  collective:
    - {name: town, table: town, focal: "2023", qids: [age, sex], sensitive: [ill]}
"""


def test_a_run_ends_with_the_policy_of_its_study(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    people_at_random(3).to_csv("town.csv", index=False)
    (tmp_path / "study.yaml").write_text(STUDY)
    for limit, status, said in ((1, 0, "a: kept"), (0, 1, "a: BROKEN")):
        (tmp_path / "policy.yaml").write_text(
            "version: 1\nname: p\nlimits:\n"
            f"  - {{name: a, measure: collective.posterior_prob, at_most: {limit}}}\n"
        )
        assert main(["--lang", "en", "run", "study.yaml"]) == status
        assert capfd.readouterr().out.startswith(said)
        assert (tmp_path / "results/town.check.json").is_file()


def test_a_policy_that_cannot_be_read_stops_a_run_before_it_begins(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text("version: 2\n")
    (tmp_path / "study.yaml").write_text(STUDY)
    assert main(["--lang", "en", "run", "study.yaml"]) == 1
    assert "policy.yaml: version is 2" in capfd.readouterr().err
    assert not (tmp_path / "results").exists()
