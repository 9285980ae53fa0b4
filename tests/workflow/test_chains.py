"""Whatever happened to results, records, archives and study file, a run mends it.

Every step does one thing to a finished study: it edits, cuts, removes, touches or
restores files, stops a run at work, or changes the study file or the archive. Then a
run must leave the bytes of a run from nothing.
"""

import multiprocessing
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import pytest

from microleak.run.store import STORE, Store
from tests.examples import long
from tests.workflow.conftest import CSV_STUDY, PEOPLE
from tests.workflow.workshop import Workshop, draw_plainly

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("plain_pages")]
# Latest moment of a run at which it is killed
MOST_S = 3
STUDY_MODULES = ("microleak.study.pages", "microleak.attacks.collective.measure")
_RELEASES = ('      "1": {archive: people.csv}\n', '      "2": {archive: later.csv}\n')
_ANALYSES = tuple(
    f'    - {{name: {name}, table: people, focal: "{focal}", qids: {qids}, '
    "sensitive: [ill]}\n"
    for name, focal, qids in (
        ("people", 1, "[age, sex]"),
        ("other", 1, "[sex, age]"),
        ("later", 2, "[age, sex]"),
    )
)


def study(releases=_RELEASES, analyses=_ANALYSES) -> str:
    """The study with releases and analyses in this order."""
    text = CSV_STUDY.replace(_RELEASES[0], "".join(releases))
    head, _, tail = text.partition("    - ")
    return f"{head}{''.join(analyses)}report:{tail.partition('report:')[2]}"


STUDY = study()
STUDIES = (
    STUDY,
    study(analyses=(_ANALYSES[1], _ANALYSES[0], _ANALYSES[2])),
    study(releases=_RELEASES[::-1]),
    study(analyses=_ANALYSES[:2]),
    STUDY.replace("seed: 3", "seed: 4"),
    STUDY.replace("qids: [age, sex]", "qids: [sex]"),
    STUDY.replace("qids: [age, sex]", "qids: [sex, age], subsets: full"),
    STUDY.replace("sensitive: [ill]", "sensitive: []"),
    STUDY.replace("[en]", "[pt, en]"),
)
ARCHIVES = (PEOPLE, PEOPLE.replace("60", "61"), PEOPLE.replace("yes", "no!"))
LATER = PEOPLE.replace("49", "50")
"""People of which as many bytes are told, so that only a hash tells them apart."""


class Chain:
    """A study to which things happen, and what its results should be."""

    expected: ClassVar[dict[tuple[str, str], dict[str, bytes]]] = {}
    """What runs from nothing gave, of a study file and an archive, for all chains."""

    def __init__(self, folder: Path, chance: random.Random, monkeypatch):
        self.folder, self.chance, self.monkeypatch = folder, chance, monkeypatch
        self.given = [STUDIES[0], ARCHIVES[0]]
        self.workshop = self.begin("main")
        self.backups: list[Path] = []

    def begin(self, name: str) -> Workshop:
        (self.folder / name).mkdir()
        self.monkeypatch.chdir(self.folder / name)
        Path("people.csv").write_text(self.given[1])
        Path("later.csv").write_text(LATER)
        return Workshop(self.given[0], store=Store(STORE))

    def reference(self) -> dict[str, bytes]:
        """The bytes of a run from nothing, of this study file and this archive."""
        key = tuple(self.given)
        if key not in self.expected:
            workshop = self.begin(f"fresh-{len(self.expected)}")
            workshop.run()
            self.expected[key] = workshop.bytes()
            self.monkeypatch.chdir(self.folder / "main")
        return self.expected[key]

    def any_file(self) -> Path:
        files = [path for path in Path("results").rglob("*") if path.is_file()]
        return self.chance.choice(sorted(files))

    def keeping_time(self, path: Path, change: Callable[[], object]) -> None:
        """Change a file, and half of the times give it the time that it had."""
        before = path.stat()
        change()
        if self.chance.random() < 0.5:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def edit(self) -> None:
        path = self.any_file()
        data = bytearray(path.read_bytes() or b"x")
        data[self.chance.randrange(len(data))] ^= 1
        self.keeping_time(path, lambda: path.write_bytes(data))

    def cut(self) -> None:
        path = self.any_file()
        size = path.stat().st_size
        self.keeping_time(path, lambda: os.truncate(path, size // 2))

    def remove(self) -> None:
        self.any_file().unlink()

    def remove_folder(self) -> None:
        folders = sorted(path for path in Path("results").rglob("*") if path.is_dir())
        shutil.rmtree(self.chance.choice(folders))

    def touch(self) -> None:
        os.utime(self.any_file())

    def swap(self) -> None:
        one, other = self.any_file(), self.any_file()
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)

    def back_up(self) -> None:
        self.backups.append(self.folder / f"backup-{len(self.backups)}")
        shutil.copytree("results", self.backups[-1])

    def restore(self) -> None:
        if self.backups:
            shutil.rmtree("results")
            shutil.copytree(self.chance.choice(self.backups), "results")

    def forget(self) -> None:
        shutil.rmtree(".snakemake", ignore_errors=True)

    def change_study(self) -> None:
        self.given[0] = self.chance.choice(STUDIES)
        self.workshop.file.write_text(self.given[0])

    def change_archive(self) -> None:
        self.given[1] = self.chance.choice(ARCHIVES)
        path = Path("people.csv")
        self.keeping_time(path, lambda: path.write_text(self.given[1]))

    def stop(self) -> None:
        """Stop a run of a changed study as it is about to put a file in its place."""
        self.change_study()
        left = iter(range(self.chance.randrange(40)))

        def sync(path: Path) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        with self.monkeypatch.context() as patch:
            patch.setattr("microleak.base.files._sync_to_disk", sync)
            with suppress(AssertionError, KeyboardInterrupt):
                self.workshop.run()

    def happens(self) -> str:
        things = (
            *(self.edit, self.cut, self.remove, self.remove_folder, self.touch),
            *(self.swap, self.back_up, self.restore, self.restore, self.forget),
            *(self.change_study, self.change_archive, self.stop, self.stop),
        )
        thing = self.chance.choice(things)
        thing()
        return thing.__name__


@pytest.mark.parametrize(
    ("seed", "n_steps"), [(0, 2), *long(*((seed, 50) for seed in range(4)))]
)
def test_after_any_chain_of_faults_a_run_gives_the_bytes_of_a_run_from_nothing(
    seed, n_steps, tmp_path, monkeypatch
):
    chain = Chain(tmp_path, random.Random(seed), monkeypatch)
    chain.workshop.run()
    happened: list[str] = []
    for _ in range(n_steps):
        happened.append(chain.happens())
        if chain.chance.random() < 0.7:
            expected = chain.reference()
            chain.workshop.run()
            assert chain.workshop.bytes() == expected, happened
            assert chain.workshop.run() == [], happened
            happened = []


N_KILLS = 1000


def make(folder: Path, text: str) -> None:
    os.chdir(folder)
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        Workshop(text, store=Store(STORE)).run()


@pytest.mark.long
def test_after_any_kill_a_run_has_the_bytes_of_one_from_nothing(tmp_path, monkeypatch):
    chance = random.Random(N_KILLS)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.workflow.test_chains", *STUDY_MODULES])
    chain = Chain(tmp_path, chance, monkeypatch)
    n_kills = 0
    while n_kills < N_KILLS:
        chain.change_study()
        chain.change_archive()
        expected = chain.reference()
        process = processes.Process(target=make, args=(Path.cwd(), chain.given[0]))
        process.start()
        process.join(chance.uniform(0, MOST_S))
        if process.is_alive():
            process.kill()
            n_kills += 1
        process.join()
        if chance.random() < 0.5:
            chain.workshop.run()
            assert chain.workshop.bytes() == expected, n_kills
