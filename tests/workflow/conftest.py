"""Studies run for real, in a folder of their own."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import microleak
from tests.workflow.workshop import draw_plainly

TWIN_STUDY = """\
study: small
seed: 3
tables:
  school_census:
    source: inep_school_census
    releases:
      2018: {synthetic: {schools: 27}}
analyses:
  collective:
    - name: small
      table: school_census
      focal: 2018
      qids: [NU_DIA, NU_MES, NU_ANO, TP_SEXO, CO_ENTIDADE]
      subsets: {sizes: [1, 2, 5]}
      sensitive: [IN_NECESSIDADE_ESPECIAL, IN_TRANSPORTE_PUBLICO]
report: {languages: [en]}
"""

CSV_STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      "1": {archive: people.csv}
analyses:
  collective:
    - {name: people, table: people, focal: "1", qids: [age, sex], sensitive: [ill]}
report: {languages: [en]}
"""

SHORT_STUDY = CSV_STUDY.replace("collective:", "anonymity:")
"""A study of fewer steps and no figures, where these prove nothing."""

PEOPLE = """\
id,age,sex,ill
1,25,F,no
2,25,F,yes
3,25,M,yes
4,,M,no
4,,M,yes
5,49,,no
6,60,M,no
"""


class Study:
    """A study file in a folder, written if it is not there, and the commands run."""

    def __init__(self, folder: Path, name: str, text: str):
        self.folder = folder
        self.name = name
        self.file = folder / f"{name}.yaml"
        if not self.file.exists():
            self.file.write_text(text, encoding="utf-8")
        self.results = folder / "results" / name

    def start(self, command="run", words=(), stdout=subprocess.PIPE):
        return subprocess.Popen(
            [sys.executable, "-m", "microleak", *self._line(command, words)],
            cwd=self.folder,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )

    def run(self, command="run", words=(), file=None):
        """Run a command of this study, or of another study file in its folder."""
        return microleak(*self._line(command, words, file), folder=self.folder)

    def output_of(self, command="run", words=()):
        """What a command says, which must succeed."""
        ended = self.run(command, words)
        assert ended.returncode == 0, ended.output
        return ended.output

    def planned(self, *words):
        """Names of the rules that a run would execute, with `all`; it runs nothing."""
        return rules_planned(self.output_of(words=["--", *words, "--dry-run"]))

    def _line(self, command, words, file=None):
        verbose = ["--verbose"] if command in ("run", "resume") else []
        return [command, file or self.file.name, *verbose, *words]

    def change(self, old, new):
        text = self.file.read_text(encoding="utf-8")
        assert old in text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def copy(self, folder):
        """A study of its own as this one stands, with the times of its files."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Study(folder, self.name, self.file.read_text(encoding="utf-8"))

    def bytes(self):
        """SHA-256 of every result, by path; logs and times of jobs are no result."""
        return {
            path.relative_to(self.results).as_posix(): hashlib.sha256(
                path.read_bytes()
            ).hexdigest()
            for path in sorted(self.results.rglob("*"))
            if path.is_file() and not self._is_by_product(path)
        }

    def _is_by_product(self, path):
        parts = path.relative_to(self.results).parts
        return parts[0] in ("logs", "benchmarks") or any(
            part.startswith(".") for part in parts
        )


@pytest.fixture
def twin_study(tmp_path):
    return Study(tmp_path, "small", TWIN_STUDY)


@pytest.fixture
def csv_study(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(tmp_path, "people", CSV_STUDY)


@pytest.fixture
def short_study(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(tmp_path, "people", SHORT_STUDY)


@pytest.fixture(scope="module")
def plain_pages():
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        yield


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The twin study, run to its end, for tests that change none of its results."""
    made = Study(tmp_path_factory.mktemp("finished"), "small", TWIN_STUDY)
    made.output_of()
    return made


def elsewhere(folder):
    """Variables of another machine: its time zone, its terminal and its locale."""
    return {
        **{"TZ": "Pacific/Kiritimati", "SOURCE_DATE_EPOCH": "1"},
        **{"USER": "somebody", "COLUMNS": "40"},
        **turkish(folder),
    }


def turkish(folder):
    """A locale with a dotless i and decimal commas, made here; C where it cannot be."""
    making = ["localedef", "--inputfile=tr_TR", "--charmap=UTF-8"]
    if shutil.which(making[0]):
        line = [*making, folder / "tr_TR.UTF-8"]
        if subprocess.run(line, capture_output=True, check=False).returncode == 0:
            return {"LC_ALL": "tr_TR.UTF-8", "LOCPATH": str(folder)}
    return {"LC_ALL": "C"}


def rules_in_order(output):
    """Names of the rules that Snakemake says it executed."""
    return re.findall(r"Finished jobid: \d+ \(Rule: (\w+)\)", output)


def rules_run(output):
    """The same, sorted, with `all`."""
    return sorted(rules_in_order(output))


def rules_planned(output):
    """Names of the rules that a dry run says would be executed, with `all`."""
    # microleak's own does not name it: it follows the audit.
    own = re.findall(r"^microleak: to do: (\w+)", output, re.MULTILINE)
    own += ["all"] * ("audit" in own)
    lines = output.splitlines()
    if own or any("Nothing to be done" in line for line in lines):
        return sorted(own)
    first = next(i for i, line in enumerate(lines) if line.startswith("------")) + 1
    last = next(i for i, line in enumerate(lines) if line.startswith("total "))
    return sorted(line.split()[0] for line in lines[first:last])
