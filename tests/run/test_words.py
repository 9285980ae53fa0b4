"""Every option of Snakemake is heard or refused in one line."""

import itertools
import sys
from pathlib import Path

import pytest
from snakemake.cli import get_argument_parser

from microleak.cli import main
from microleak.run.options import (
    HEARD,
    KINDS,
    LOOKING,
    REFUSED,
    has_option,
    is_looking,
)
from microleak.run.rounds import is_partial
from tests.workflow.conftest import PEOPLE, SHORT_STUDY, Study

OF_PLUGINS = ("--slurm-", "--report-html-", "--scheduler-greedy-", "--scheduler-ilp-")


def snakemakes():
    """Option -> whether it takes a value, of the Snakemake that is installed."""
    return {
        option: action.nargs != 0
        for action in get_argument_parser()._actions
        for option in action.option_strings
        if not option.startswith(OF_PLUGINS)
    }


def test_every_option_of_snakemake_is_of_one_kind():
    own = [option for kind in KINDS for option in kind]
    assert sorted(own) == sorted(snakemakes())


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("people.yaml").write_text(SHORT_STUDY, encoding="utf-8")
    return "people.yaml"


@pytest.mark.parametrize("option", sorted(itertools.chain(*REFUSED)))
def test_what_a_run_could_not_hear_is_refused_in_one_line(study, capsys, option):
    assert main(["run", study, "--", option, "x"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"microleak: {option}, after --, ")
    assert said.count("\n") == 1
    assert not Path("results").exists()


@pytest.mark.parametrize("option", sorted(LOOKING))
def test_what_only_looks_is_no_run(option):
    assert is_looking([option])
    assert is_partial([option])


@pytest.mark.parametrize("option", sorted(HEARD))
def test_how_results_are_made_is_no_other_result(option):
    assert not is_looking([option])
    assert not is_partial([option])


@pytest.mark.parametrize(
    ("word", "options", "is_one"),
    [
        ("--report", {"--report-after-run"}, False),
        ("--report=x", {"--report"}, True),
        ("--force", {"--force-use-threads"}, False),
        ("--config", {"--configfile"}, False),
        ("--scheduler", {"--scheduler-subsample"}, False),
        ("--dryr", {"--dry-run", "--dryrun"}, True),
        ("-nt", {"-t"}, True),
        ("-tn", {"-n"}, True),
        ("-j4", {"-j"}, True),
        ("--", {"--touch"}, False),
    ],
)
def test_a_whole_name_stands_for_itself_alone(word, options, is_one):
    assert has_option(word, options) == is_one


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--until", "mesure"], "--until, after --, names no rule: 'mesure'."),
        (["-U", "mesure"], "Did you mean 'measure'?"),
        (["--omit-from", "reprot"], "--omit-from, after --, names no rule: 'reprot'."),
        (["-R", "ingset"], "--forcerun, after --, names no rule: 'ingset'."),
        (["auditt"], "target that is no rule and no file: 'auditt'."),
        (["--cores", "2", "reports"], "Did you mean 'report'?"),
        (["--until", "ingest", "profil"], "Did you mean 'profile'?"),
        (["--not-an-option"], "unrecognized arguments: --not-an-option"),
        (["--cores"], "argument --cores/-c: expected one argument"),
        (["--list-changes", "x"], "does not take the words after --: KeyError"),
        (["--executor", "nothing"], "invalid choice: 'nothing'"),
        (["--profile", "nothing"], "nothing"),
    ],
)
def test_words_that_snakemake_does_not_take_are_told_of_in_one_line(
    study, capsys, words, said
):
    assert main(["run", study, "--", *words]) == 1
    told = capsys.readouterr().err
    assert told.startswith("microleak: ")
    assert said in told
    assert told.count("\n") == 1
    assert not Path("results").exists()


def test_a_profile_for_slurm_without_its_plugin_says_what_to_install(
    study, capsys, monkeypatch
):
    def parse_args(_):
        print(
            "usage: snakemake [-h]\n\nsnakemake: error: argument --executor/-e: "
            "invalid choice: 'slurm' (choose from local)",
            file=sys.stderr,
        )
        raise SystemExit(2)

    monkeypatch.setattr("snakemake.cli.parse_args", parse_args)
    assert main(["run", study, "--", "--profile", "profiles/slurm"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "envs/slurm.lock" in told


@pytest.mark.workflow
def test_what_is_asked_instead_of_results_is_done_and_told_of(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    study = Study(tmp_path, "people", SHORT_STUDY)
    assert study.run().returncode == 0
    for words in (["--list-changes", "code"], ["--list-untracked"], ["--lt"]):
        done = study.run(words=["--", *words])
        assert done.returncode == 0, done.output
        assert "steps done" not in done.output
        assert "up to date" not in done.output
    done = study.run(words=["--", "--delete-all-output"])
    assert done.returncode == 0, done.output
    assert done.output.splitlines()[-1] == (
        "microleak: Snakemake has done what the words after -- ask for"
    )
    assert not (study.results / "tables/people/1.parquet").exists()
