"""A study made in this process: records decide as in a run, scripts are the workflow's.

A stand-in for Snakemake, which knows what `run.rounds` asks of it: results that are
missing are made, forced ones are made again, and nothing for any other reason.
"""

import io
import runpy
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import Namedlist

from microleak.audit.manifest import check_places
from microleak.base.files import remove_unfinished, whole_folder
from microleak.base.paths import RESULTS, ROOT
from microleak.run.rounds import FORCE, Rounds
from microleak.run.store import Store
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of, results_of
from microleak.study.steps import AUDIT, code_of, jobs_of

_DRAWING = "microleak.attacks.collective.report.drawing"


class Workshop:
    """A study file in the working folder, and the rules that its runs executed."""

    def __init__(self, text: str, name="people.yaml", store: Store | None = None):
        self.file, self.store = Path(name), store
        # One that is killed here has its file already, and must not cut it.
        if not self.file.exists() or self.file.read_text("utf-8") != text:
            self.file.write_text(text, encoding="utf-8")
        self.results = RESULTS / load_study(self.file).name
        self.done: list[str] = []
        self.said: list[str] = []
        self.steps: list[str] = []

    def change(self, old: str, new: str) -> None:
        text = self.file.read_text(encoding="utf-8")
        assert old in text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def run(self) -> list[str]:
        """Make what is due; return the rules that were executed, in their order."""
        self.done, self.said, self.steps = [], [], []
        remove_unfinished(RESULTS)
        study = load_study(self.file)
        check_places(self.results, outputs_of(study))
        rounds = Rounds(study, self.file, Path(".due"), self._call, self.store)
        assert rounds.make([], self.said.append) == 0, self.said
        return self.done

    def bytes(self) -> dict[str, bytes]:
        found = {
            path.relative_to(self.results).as_posix(): path
            for path in sorted(self.results.rglob("*"))
            if path.is_file()
        }
        return {
            name: path.read_bytes()
            for name, path in found.items()
            if not name.startswith(("logs/", "raw/", ".")) and "/." not in name
        }

    def called(self, line, *_) -> int:
        return self._call(line)

    def begun(self, begin, *_) -> int:
        return self._call(begin.args[0])

    def _call(self, words, steps="0") -> int:
        self.steps.append(steps)
        asked, _, forced = " ".join(words).partition(FORCE[0])
        targets = [word for word in asked.split() if word.startswith(f"{RESULTS}/")]
        study = load_study(self.file)
        wanted = {*targets} or {str(self.results / each) for each in results_of(study)}
        for job in self._due(list(jobs_of(study)), wanted, set(forced.split())):
            if status := self._execute(job.rule, job):
                return status
        return 0 if targets else self._execute("audit", None)

    def _due(self, jobs, wanted, forced):
        due = []
        for job in reversed(jobs):
            made = [self._path(path) for path in job.outputs.values()]
            is_made = all(Path(path).exists() for path in made)
            if wanted.intersection(made) and (forced.intersection(made) or not is_made):
                due.append(job)
            if job in due or (wanted & set(made)):
                wanted |= {self._path(path) for path in job.input_paths}
        return reversed(due)

    def _path(self, path: str) -> str:
        return str(self.results / path)

    def _execute(self, rule: str, job) -> int:
        for path in map(Path, map(self._path, job.outputs.values() if job else ())):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
        script = ROOT / "scripts" / f"{rule}.py"
        given = self._audit() if job is None else self._given(job)
        self.done.append(rule)
        shown = io.StringIO()
        try:
            with redirect_stderr(shown):
                runpy.run_path(str(script), {"snakemake": given}, "__main__")
        except SystemExit as end:
            self.said += shown.getvalue().splitlines()
            return int(end.code or 0)
        return 0

    def _given(self, job):
        inputs = {
            name: self._path(given)
            if isinstance(given, str)
            else [self._path(path) for path in given]
            for name, given in job.inputs.items()
        }
        if job.archive:
            inputs["archive"] = job.archive.path
        if job.reads_study:
            inputs["study"] = str(self.file)
        code = code_of(job.rule)
        params = {"study": str(self.file), "job": job, "code": code}
        outputs = {name: self._path(path) for name, path in job.outputs.items()}
        log = "/".join(("logs", job.rule, *job.names.values()))
        return self._snakemake(inputs, outputs, params, log, job.names)

    def _audit(self):
        made = {"manifest": "manifest.json", **AUDIT.makes}
        outputs = {name: self._path(path) for name, path in made.items()}
        params = {"code": code_of("audit")}
        inputs = {"study": str(self.file)}
        return self._snakemake(inputs, outputs, params, "logs/audit", {})

    def _snakemake(self, inputs, outputs, params, log, names):
        return SimpleNamespace(
            input=_named(inputs),
            output=_named({n: path.rstrip("/") for n, path in outputs.items()}),
            params=_named(params),
            wildcards=SimpleNamespace(**names),
            log=[self._path(f"{log}.log")],
            threads=1,
            resources=SimpleNamespace(mem_mib=8000),
        )


def draw_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and figures that take no time, and depend on what the real ones do."""

    def draw(published, folder, **_settings):
        with whole_folder(folder) as made:
            text = (published / f"worst/{folder.name}.csv").read_text()
            (made / "worst.svg").write_text(text)

    def write_page(study_dir, figures):
        with whole_folder(study_dir / "report") as folder:
            read = sorted(study_dir.glob("published/**/*.*"))
            (folder / "index.html").write_text("".join(p.read_text() for p in read))

    monkeypatch.setattr(f"{_DRAWING}.draw_analysis", draw)
    monkeypatch.setattr("microleak.study.pages.write_page", write_page)


def made_in(
    folder: Path,
    text: str,
    files: Mapping[str, str],
    name="people.yaml",
    store: Store | None = None,
) -> Path:
    """Make a study in a folder with these files, which no test then changes."""
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert Workshop(text, name, store).run()
    return folder


def copied(
    made: Path,
    to: Path,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    name="people.yaml",
    store: Store | None = None,
) -> Workshop:
    subprocess.run(["cp", "-a", f"{made}/.", to], check=True)
    monkeypatch.chdir(to)
    return Workshop(text, name, store)


def _named(given) -> Namedlist:
    """What is given by name, the items of lists one after another, as in Snakemake."""
    found = Namedlist()
    for name, each in given.items():
        start, is_list = len(found), isinstance(each, list)
        found.extend(each if is_list else [each])
        found._set_name(name, start, end=len(found) if is_list else None)
    return found
