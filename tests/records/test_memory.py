"""Profiles obey the memory they are given, and do not depend on it."""

import errno
import os
import subprocess
import sys

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.errors import MicroleakError
from microleak.base.machine import Resources
from microleak.base.progress import told_by
from microleak.sources.steps.scratch import Scratch

QIDS = ("school", "home", "birth", "day", "month", "year", "sex")
ANALYSIS = Collective("demo", "people", "2018", QIDS, ("ill",), "all")
N = 1_000_000

PROGRAM = """
import sys
from pathlib import Path
from microleak.base.errors import MicroleakError
from microleak.base.machine import Resources
from microleak.attacks.collective.profile import profile_analysis
from tests.records.test_memory import ANALYSIS

people, out = map(Path, sys.argv[1:3])
memory, threads = map(int, sys.argv[3:])
try:
    resources = Resources(threads, memory, out.parent)
    profile_analysis([people], ANALYSIS, True, resources, out)
except MicroleakError as error:
    print(error, file=sys.stderr)
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""


def made_up(n):
    rng = np.random.default_rng(3)
    school = rng.integers(0, n // 250 + 1, n)
    home = np.where(rng.random(n) < 0.9, school % 3000, rng.integers(0, 3000, n))
    birth = np.where(rng.random(n) < 0.3, 2999, rng.integers(0, 3000, n))
    columns = [school, home, birth]
    columns += [rng.integers(0, top, n) for top in (31, 12, 40, 2)]
    columns.append((rng.random(n) < 0.02).astype(int))
    text = (pa.array(column.astype(str)) for column in columns)
    return pa.table(dict(zip((*QIDS, "ill"), text, strict=True)))


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    pq.write_table(made_up(N), path, row_group_size=1 << 17)
    return path


def profiled(people, out, memory):
    """Peak memory in MiB of a process that profiles, and what it wrote."""
    command = [sys.executable, "-c", PROGRAM, people, out, str(memory), "2"]
    # In a fresh checkout the first may compile a kernel, which takes memory, too.
    for _ in range(2):
        result = subprocess.run(command, check=True, capture_output=True, text=True)
        if not result.stderr:
            break
    assert not result.stderr
    return int(result.stdout) / 1024, out.read_bytes()


def test_memory_stays_under_the_setting_and_changes_no_byte(people, tmp_path):
    ample, expected = profiled(people, tmp_path / "ample.parquet", 8_000)
    most = 425
    peak, found = profiled(people, tmp_path / "tight.parquet", most)
    assert peak < most < ample
    assert found == expected


def test_too_little_memory_is_refused_with_how_much_would_do(people, tmp_path):
    resources = Resources(2, 20, tmp_path)
    words = (
        "analysis 'demo': 20 MiB of memory are too little; with 2 threads it needs "
        r"\d+ MiB. Give the run more \(--max-memory\), or its rule \(mem_mb\)."
    )
    with pytest.raises(MicroleakError, match=words):
        profile_analysis([people], ANALYSIS, True, resources, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_with_too_many_values_is_refused_by_name(tmp_path):
    path = tmp_path / "people.parquet"
    columns = {"name": [str(i) for i in range(600_000)], "ill": ["n"] * 600_000}
    pq.write_table(pa.table(columns), path, row_group_size=100_000)
    analysis = Collective("demo", "people", "2018", ("name",), ("ill",), "all")
    resources = Resources(2, memory_now() + 60, tmp_path)
    words = (
        r"Column name has at least [1-5]00,000 distinct values, too many for the "
        r"memory given. Remove it from the QIDs, .*, or give the run more memory"
    )
    with pytest.raises(MicroleakError, match=words):
        profile_analysis([path], analysis, True, resources, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
def test_memory_stays_under_the_setting_where_too_many_values_are_refused(tmp_path):
    path = tmp_path / "people.parquet"
    n, most = 4_000_000, 900
    names = pa.array(np.char.add("somebody's ", np.arange(n).astype(str)))
    table = pa.table({QIDS[0]: names} | dict.fromkeys((*QIDS[1:], "ill"), ["n"] * n))
    pq.write_table(table, path, row_group_size=1 << 17)
    command = [sys.executable, "-c", PROGRAM, path, tmp_path / "out", str(most), "1"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "distinct values, too many for the memory given" in result.stderr
    assert int(result.stdout) / 1024 < most


@pytest.mark.long
def test_an_attribute_with_millions_of_values_is_profiled(tmp_path):
    n = 2_000_000
    path = tmp_path / "people.parquet"
    columns = {"name": pa.array(np.arange(n).astype(str)), "ill": pa.array(["n"] * n)}
    pq.write_table(pa.table(columns), path)
    analysis = Collective("demo", "people", "2018", ("name",), ("ill",), "all")
    out = tmp_path / "out.parquet"
    profile_analysis([path], analysis, True, Resources(2, 8_000, tmp_path), out)
    assert pq.read_table(out).to_pylist()[1:] == [
        {"subset": 1, "sensitive": 0, "block_size": 1, "modal_count": 1}
        | {"n_distinct": 1, "n_choices": 0, "n_blocks": n}
    ]


def test_a_qid_that_seems_an_identifier_is_told_where_values_are_counted(tmp_path):
    path = tmp_path / "people.parquet"
    columns = {"name": [str(i) for i in range(100)], "sex": ["F", "M"] * 50}
    pq.write_table(pa.table(columns), path)
    analysis = Collective("demo", "people", "2018", ("sex", "name"), (), "all")
    told = []
    with told_by(told.append):
        out = tmp_path / "out.parquet"
        profile_analysis([path], analysis, True, Resources(1, 8_000, tmp_path), out)
    assert told == [
        "name has a value of its own for each record: an identifier, not a QID?"
    ]


def memory_now():
    return psutil.Process().memory_info().rss >> 20


def test_a_full_disk_is_said_with_its_folder(people, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr("microleak.records.memory.Scratch", nothing_in_memory)
    words = "analysis 'demo': the disk of .* is full. Free space there, or give"
    with pytest.raises(MicroleakError, match=words):
        profile_analysis(
            [people],
            ANALYSIS,
            True,
            Resources(2, memory_now() + 900, tmp_path),
            tmp_path / "out",
        )
    assert list(tmp_path.iterdir()) == []


def nothing_in_memory(folder, most_bytes):
    return Scratch(folder, 0)
