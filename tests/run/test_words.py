"""Every option of Snakemake is heard or refused in one line.

A new one of a later Snakemake is of no kind, which the first test says. A study is read
from one file: other ways to change it are refused.
"""

import itertools
import sys
from pathlib import Path

import pytest
from snakemake.cli import get_argument_parser

from microleak.base.errors import StudyError
from microleak.base.paths import DEFAULT_STUDY, ROOT
from microleak.cli import main
from microleak.run.options import (
    ELSEWHERE,
    INSTEAD,
    LOOKING,
    OWN_OUTPUT,
    PART,
    REFUSED,
    RESOURCES,
    has_option,
    is_looking,
)
from microleak.run.rounds import is_partial
from microleak.study.load import study_file_of
from tests.commands import snakemake
from tests.workflow.conftest import PEOPLE, SHORT_STUDY, Study

WORDS_HEARD = """
--cores -c --jobs -j --local-cores --set-threads --max-threads --set-resource-scopes
--default-resources --default-res --preemptible-rules --preemptible-retries --envvars
--keep-going -k --rerun-triggers --prioritize -P --consider-ancient --rerun-incomplete
--ri --shadow-prefix --strict-dag-evaluation --scheduler --scheduler-subsample
--scheduler-greediness --greediness --scheduler-solver-path --groups
--group-components --report-after-run --reporter --report-stylesheet --report-metadata
--skip-script-cleanup --keep-incomplete --drop-metadata --nocolor --quiet -q
--allow-ambiguity -a --nolock --ignore-incomplete --ii --max-inventory-time
--trust-io-cache --max-checksum-file-size --latency-wait --output-wait -w
--wait-for-free-local-storage --runtime-source-cache-path --queue-input-wait-time
--notemp --no-temp --nt --all-temp --keep-storage-local-copies --not-retrieve-storage
--max-jobs-per-timespan --retries -T --restart-times --max-jobs-per-second
--max-status-checks-per-second --seconds-between-status-checks
--default-storage-provider --default-storage-prefix --local-storage-prefix
--shared-fs-usage --remote-job-local-storage-prefix --no-hooks --show-failed-logs
--logger --benchmark-extended --persistence-backend --persistence-backend-db-url
--container-image --use-conda --software-deployment-method --deployment-method
--deployment --sdm --conda-base-path --conda-not-block-search-path-envvars
--conda-prefix --conda-frontend --use-apptainer --use-singularity --apptainer-prefix
--singularity-prefix --apptainer-args --singularity-args --use-envmodules --precommand
--runtime-profile --jobname --jn --jobscript --js --force-use-threads --omit-flags
"""
HEARD = frozenset(WORDS_HEARD.split())
"""Options that say how results are made, which Snakemake hears."""

KINDS = (LOOKING, INSTEAD, PART, OWN_OUTPUT, RESOURCES, ELSEWHERE, *REFUSED, HEARD)
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


@pytest.mark.parametrize("option", sorted(set(snakemakes()) - {"--debug"}))
def test_no_option_is_taken_for_one_of_another_kind(option):
    kinds = [kind for kind in KINDS[:-1] if has_option(option, kind)]
    assert kinds == [kind for kind in KINDS[:-1] if option in kind]


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


LOOKS = [
    *(["-n"], ["-np"], ["-nc1"], ["-pn"], ["-kpn"], ["--dryr"], ["--dry-run"]),
    *(["-v"], ["--version"], ["-h"], ["--help"], ["--dag=dot"], ["--cores", "-l"]),
    *([option] for option in sorted(LOOKING)),
]
MAKES = [
    *([], ["-c1"], ["-j", "2"], ["-pk"], ["--cores", "1"], ["--", "-k"], ["-"]),
    *(["-shn"], ["-cn"], ["--dryer"], ["--latency-wait=3"], ["--nolock"]),
    *(["--cores", "all"], ["-j", "all", "-k"]),
    *([option] for option in sorted(HEARD)),
]
MAKES_A_PART = [["-pF"], ["--until", "x"], ["all"], ["-kR"]]


def test_words_that_only_look_or_ask_for_a_part_are_known():
    for words in (*LOOKS, *MAKES, *MAKES_A_PART):
        assert is_looking(words) == (words in LOOKS), words
        assert is_partial(words) == (words not in MAKES), words


@pytest.mark.parametrize(
    ("word", "options", "is_one"),
    [
        ("--report=x", {"--report"}, True),
        ("--report-after-run", {"--report"}, False),
        ("--conf", {"--config", "--configfile"}, True),
        ("--dryr", {"--dry-run", "--dryrun"}, True),
        ("-nt", {"-t"}, True),
        ("-tn", {"-n"}, True),
        ("-j4", {"-j"}, True),
        ("--", {"--touch"}, False),
    ],
)
def test_words_have_options_whole_short_or_together(word, options, is_one):
    assert has_option(word, options) == is_one


def test_words_that_snakemake_does_not_take_are_told(study, capsys, words, said):
    assert main(["run", study, "--", *words]) == 1
    told = capsys.readouterr().err
    assert told.startswith("microleak: ")
    assert said in told
    assert told.count("\n") == 1
    assert not Path("results").exists()


def test_a_profile_for_slurm_says_what_plugin_to_install(study, capsys, monkeypatch):
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


@pytest.mark.long
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


def test_one_file_is_the_study_and_none_the_default_one():
    assert study_file_of(["a.yaml"], {}) == Path("a.yaml")
    assert study_file_of([], {}) == DEFAULT_STUDY


def test_what_would_change_the_study_is_named(files, values, said):
    with pytest.raises(StudyError, match=said):
        study_file_of(files, values)


def test_a_run_takes_no_other_configuration(study, capsys, words):
    assert main(["run", study, "--", *words]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"microleak: {words[0].partition('=')[0]}, after --, would")
    assert said.count("\n") == 1
    assert not Path("results").exists()


@pytest.mark.parametrize("option", ["--profile", "--workflow-profile"])
def test_a_run_takes_no_settings_of_a_profile(study, capsys, option, content, found):
    write_profile(content)
    assert main(["run", study, "--", option, "mine"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        f"microleak: The profile sets {found}, which would change the study: it is "
        "read from people.yaml alone. Remove it from the profile."
    )
    assert not Path("results").exists()


def write_profile(content):
    Path("mine").mkdir()
    Path("mine/config.yaml").write_text(content, encoding="utf-8")


@pytest.mark.workflow
def test_plain_snakemake_takes_no_other_configuration_either(study, words, said):
    write_profile("configfile: people.yaml\nconfig: {seed: 5, study: other}\n")
    done = dry_run(*words)
    assert done.returncode == 1
    assert done.output.count(said) == 1
    assert not Path("results").exists()


@pytest.mark.workflow
def test_plain_snakemake_takes_the_study_file_of_a_profile(study):
    write_profile("configfile: people.yaml\n")
    done = dry_run("--profile", "mine", "--summary")
    assert done.returncode == 0, done.output
    assert "results/people/tables/people/1.parquet" in done.output


def dry_run(*words):
    line = [f"--snakefile={ROOT}/Snakefile", "--cores=1", "-n"]
    return snakemake(*line, *words, folder=Path.cwd())
