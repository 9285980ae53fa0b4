import re
import shutil
from dataclasses import replace

import pytest

from benchmarks.__main__ import main
from benchmarks.comparison import (
    comparisons,
    fastest,
    over_qids,
    over_records,
    own_time,
)
from benchmarks.page import page, write_pages
from benchmarks.results import PeerTime, ProfileTime, Run, Step, load, save
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT

STEP = Step("measure", "finished", 1.0, 1.0, 300)


def profile(n_records, n_qids, n_threads, wall_s, memory_mib=8000):
    which = (n_records, n_qids, n_threads, memory_mib)
    return ProfileTime(*which, "finished", wall_s, 2.0, 500, 1.0, (wall_s,))


RUN = Run(
    scale="small",
    subject="students",
    date="2026-01-02",
    machine={"cpu": "a processor", "cores": 2, "memory_gib": 8.0, "system": "Linux"},
    versions={"python": "3.11", "microleak": "0.1.0"},
    n_threads=2,
    memory_gib=4.0,
    time_limit_s=60.0,
    twin_size=30,
    n_rows=2100,
    n_records=2000,
    qids=("A", "B", "C"),
    n_study_qids=2,
    sensitive=("S", "T"),
    n_values=(2, 4500),
    is_same_bytes=True,
    way_in=(
        replace(STEP, name="synthesise", wall_s=70.0, peak_mib=900),
        replace(STEP, name="ingest", wall_s=5.0, peak_mib=600),
    ),
    profiles=(
        profile(1000, 2, 2, 1.0),
        profile(2000, 2, 2, 2.0),
        profile(2000, 2, 1, 4.0),
        profile(2000, 2, 2, 2.5, memory_mib=2000),
        profile(2000, 3, 2, 3.0),
    ),
    profile_mib=8000,
    measure=STEP,
    codes=replace(STEP, name="codes"),
    peers=(
        PeerTime("polars", 2000, "finished", 0.1, 200, ((8.0, 8.0), (4.0,)), 3, 3),
        PeerTime("bvmlib", 1000, "finished", 0.1, 200, ((90.0,), (20.0,)), 2, 1),
        PeerTime("pandas", 2000, "memory", 0.0, 4096, (), 0, 0),
    ),
)


@pytest.fixture
def text():
    return page([RUN])


def test_ratios_are_to_the_same_records_on_all_threads_and_on_one():
    polars, bvmlib, pandas = comparisons(RUN)
    assert (polars.ratio, polars.ratio_one) == (10, 5)
    assert (bvmlib.ratio, bvmlib.ratio_one) == (200, None)
    assert (pandas.ratio, pandas.total) == (None, None)


def test_what_was_told_to_keep_to_less_memory_is_in_no_ratio_and_no_series():
    assert own_time(RUN, 2000, 2).wall_s == 2.0
    assert [time.wall_s for time in over_records(RUN)] == [1.0, 2.0]
    assert [time.wall_s for time in over_qids(RUN)] == [2.0, 3.0]


def first_sentence(run):
    _, chapter = page([run]).split("## ", maxsplit=1)
    return chapter.split("\n\n")[1]


def test_a_chapter_begins_with_what_was_found():
    assert first_sentence(RUN) == (
        "From the raw release to the tables of success of 2,000 students and all 3 "
        "subsets of 2 QIDs, microleak took 8.00 s on 2 cores and at most 600 MiB; the "
        "subsets alone took it 2.00 s and 500 MiB, and polars, the fastest peer on the "
        "same table, 20.0 s, 10.0× as long."
    )


def test_the_fastest_peer_is_that_of_the_whole_table():
    fewer, slower = (replace(RUN.peers[0], peer=name) for name in ("fewer", "slower"))
    fewer = replace(fewer, n_records=1000, seconds=((1.0, 1.0), (1.0,)))
    slower = replace(slower, seconds=((9.0, 9.0), (9.0,)))
    run = replace(RUN, peers=(slower, fewer, *RUN.peers))
    assert fastest(run).peer.peer == "polars"


def test_a_chapter_says_that_no_peer_finished_the_whole_table():
    run = replace(RUN, peers=RUN.peers[1:])
    assert first_sentence(run).endswith("and no peer finished the whole table.")


def test_a_chapter_names_its_study_and_how_many_values_are_inferred():
    text = page([replace(RUN, subject="outpatient")])
    assert "[config/datasus-2023.yaml](../config/datasus-2023.yaml)" in text
    assert "T (4,500 values)" in text
    assert "## Small: 2,000 lines of procedure" in text


def test_a_peer_that_met_a_limit_has_no_number(text):
    assert "| pandas | 2,000 |  | did not finish (memory) |" in text


def test_the_page_says_how_many_subsets_a_peer_ran(text):
    assert "| polars | 2,000 | 3 of 3 | 20.0 s | 10.0× | 5.00× |" in text
    assert "| bvmlib | 1,000 | 2 of 3 |" in text


def test_the_page_says_what_was_extrapolated_from_fewer_records(text):
    assert "bvmlib was measured on 1,000 records." in text
    assert "polars was measured on" not in text


def test_of_several_measurements_the_largest_is_extrapolated():
    fewer = replace(RUN.peers[1], n_records=500)
    text = page([replace(RUN, peers=(RUN.peers[1], fewer))])
    assert text.count("bvmlib was measured on") == 1
    assert "bvmlib was measured on 1,000 records." in text


def test_the_page_sums_up_the_comparisons(text):
    assert "identical in 4 of 5 comparisons" in text


def test_the_page_says_that_the_students_are_synthetic(text):
    assert "synthetic" in text.split("##", maxsplit=1)[0]


def test_the_page_says_where_bytes_differ_between_threads_or_memories(text):
    assert "2 threads, and with less memory, wrote the same bytes" in text
    assert "NOT the same bytes" in page([replace(RUN, is_same_bytes=False)])


def test_results_are_the_same_after_writing_and_reading(tmp_path):
    save(tmp_path / "performance.json", {"small": RUN})
    assert load(tmp_path / "performance.json") == {"small": RUN}


def test_page_and_figures_are_the_same_bytes_from_the_same_results(tmp_path):
    for folder in ("one", "two"):
        write_pages({"small": RUN}, tmp_path / folder)
    names = [
        "performance-qids-small.svg",
        "performance-records-small.svg",
        "performance-tables.md",
    ]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == names
    for name in names:
        one, two = tmp_path / "one" / name, tmp_path / "two" / name
        assert one.read_bytes() == two.read_bytes()


def test_a_run_without_a_series_over_qids_has_no_figure_of_it(tmp_path):
    run = replace(RUN, profiles=RUN.profiles[:4])
    write_pages({"small": run}, tmp_path)
    assert not (tmp_path / "performance-qids-small.svg").exists()
    assert "performance-qids" not in (tmp_path / "performance-tables.md").read_text(
        "utf-8"
    )


def test_the_command_writes_the_page_from_the_results_alone(tmp_path, monkeypatch):
    results = tmp_path / "performance.json"
    save(results, {"small": RUN})
    monkeypatch.setattr("sys.argv", ["benchmarks", "page", "--results", str(results)])
    assert main() == 0
    assert (tmp_path / "performance-tables.md").read_text(encoding="utf-8") == page(
        [RUN]
    )


def test_without_results_there_is_no_page(tmp_path):
    with pytest.raises(MicroleakError, match="no results to write a page from"):
        write_pages({}, tmp_path)


@pytest.mark.parametrize("text", ["{", '{"small": {}}', "[]"])
def test_a_file_of_another_kind_is_refused(text, tmp_path):
    path = tmp_path / "performance.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MicroleakError, match="is not a results file of this version"):
        load(path)


def test_the_page_in_the_documentation_follows_from_its_results(tmp_path):
    docs = ROOT / "docs"
    for results in docs.glob("performance*.json"):
        shutil.copy(results, tmp_path)
    write_pages(load(docs / "performance.json"), tmp_path)
    written = {path.name for path in tmp_path.iterdir()} - {"performance-tables.md"}
    kept = {path.name for path in docs.glob("performance*")} - {"performance-tables.md"}
    assert written == kept - {"performance.md"}
    for name in written:
        assert (tmp_path / name).read_bytes() == (docs / name).read_bytes(), name


def test_the_numbers_of_the_documentation_are_those_of_the_benchmarks(tmp_path):
    docs = ROOT / "docs"
    for results in docs.glob("performance*.json"):
        shutil.copy(results, tmp_path)
    write_pages(load(docs / "performance.json"), tmp_path)
    measured = (tmp_path / "performance-tables.md").read_text("utf-8")
    kept = (docs / "performance.md").read_text("utf-8")
    told = kept.partition("## Every subset")[2].partition("## A whole study")[0]
    unit = r"(?:s|min|h|MiB|GiB)\b"
    numbers = rf"[\d.,]*\d {unit}(?: \d+ {unit})?(?: ± [\d.]+%)?|[\d.,]+×"
    numbers += r"|0\.[89]\d+|[\d,]+,\d{3}"
    found = {number.strip(",") for number in re.findall(numbers, told)}
    assert len(found) > 100
    settings = {"2.2 s", "2,000 MiB", "48,176,898", "1,022,775"}
    assert {each for each in found - settings if each not in measured} == set()
