"""The page is made of its results alone: ratios, sentences, and what did not finish."""

import json
import shutil

import pytest

from benchmarks.__main__ import main
from benchmarks.page import own_time, ratio, write_page
from benchmarks.plots import over_qids, over_records
from benchmarks.results import save
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT

STEP = {"status": "finished", "wall_s": 1.0, "cpu_s": 1.0, "peak_mib": 300}


def profile(n_records, n_qids, n_threads, wall_s, memory_mib=8000):
    which = {"n_records": n_records, "n_qids": n_qids, "n_threads": n_threads}
    taken = {"wall_s": wall_s, "cpu_s": 2.0, "peak_mib": 500, "profiles_mib": 1.0}
    which |= {"memory_mib": memory_mib, "status": "finished"}
    return which | taken | {"all_wall_s": [wall_s]}


def peer(name, n_records, seconds, n_compared=3, n_identical=3, status="finished"):
    taken = {"open_s": 0.1, "peak_mib": 200, "seconds": seconds, "status": status}
    counted = {"n_compared": n_compared, "n_identical": n_identical}
    return {"peer": name, "n_records": n_records} | taken | counted


RUN = {
    "scale": "small",
    "subject": "students",
    "date": "2026-01-02",
    "machine": {"cpu": "a processor", "cores": 2, "memory_gib": 8.0, "system": "Linux"},
    "versions": {"python": "3.11", "microleak": "0.1.0"},
    **{"n_threads": 2, "memory_gib": 4.0, "time_limit_s": 60.0},
    **{"twin_size": 30, "n_rows": 2100, "n_records": 2000},
    **{"qids": ["A", "B", "C"], "n_study_qids": 2},
    **{"sensitive": ["S", "T"], "n_values": [2, 4500], "is_same_bytes": True},
    "way_in": [
        STEP | {"name": "synthesise", "wall_s": 70.0, "peak_mib": 900},
        STEP | {"name": "ingest", "wall_s": 5.0, "peak_mib": 600},
    ],
    "profiles": [
        profile(1000, 2, 2, 1.0),
        profile(2000, 2, 2, 2.0),
        profile(2000, 2, 1, 4.0),
        profile(2000, 2, 2, 2.5, memory_mib=2000),
        profile(2000, 3, 2, 3.0),
    ],
    "profile_mib": 8000,
    "measure": STEP | {"name": "measure"},
    "codes": STEP | {"name": "codes"},
    "peers": [
        peer("polars", 2000, [[8.0, 8.0], [4.0]]),
        peer("bvmlib", 1000, [[90.0], [20.0]], 2, 1),
        peer("pandas", 2000, [], 0, 0, status="memory"),
    ],
}
POLARS, BVMLIB, PANDAS = RUN["peers"]


@pytest.fixture
def written(tmp_path):
    def page(**changes):
        save(tmp_path / "performance.json", {"small": RUN | changes})
        write_page(tmp_path)
        return (tmp_path / "performance-tables.md").read_text(encoding="utf-8")

    return page


def test_ratios_are_to_the_same_records_on_all_threads_and_on_one():
    found = [[ratio(each, RUN, n) for n in (2, 1)] for each in RUN["peers"]]
    assert found == [[10, 5], [200, None], [None, None]]


def test_what_was_told_to_keep_to_less_memory_is_in_no_ratio_and_no_series():
    assert own_time(RUN, 2000, 2)["wall_s"] == 2.0
    assert [time["wall_s"] for time in over_records(RUN)] == [1.0, 2.0]
    assert [time["wall_s"] for time in over_qids(RUN)] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "|pandas|2,000||did not finish (memory)|"),
        ({}, "|polars|2,000|3 of 3|20.0 s|10.0×|5.00×|"),
        ({}, "|bvmlib|1,000|2 of 3|"),
        ({}, "bvmlib was measured on 1,000 records."),
        ({}, "identical in 4 of 5 comparisons"),
        ({}, "2 threads, and with less memory, wrote the same bytes"),
        ({"is_same_bytes": False}, "NOT the same bytes"),
        ({"peers": [BVMLIB, PANDAS]}, "and no peer finished the whole table."),
        ({"subject": "outpatient"}, "## Small: 2,000 lines of procedure"),
        ({"subject": "outpatient"}, "](../config/datasus-2023.yaml), without groups"),
        ({"subject": "outpatient"}, "T (4,500 values)"),
    ],
)
def test_the_page_says(written, changes, said):
    assert said in written(**changes)


def test_a_run_without_a_series_over_qids_has_no_figure_of_it(written, tmp_path):
    written(profiles=RUN["profiles"][:4])
    figures = {path.name for path in tmp_path.glob("*.svg")}
    assert figures == {"performance-records-small.svg"}


def test_without_results_there_is_no_page(tmp_path, monkeypatch, capsys):
    arguments = ["benchmarks", "page", "--folder", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    assert main() == 1
    assert "There are no results" in capsys.readouterr().err
    (tmp_path / "performance.json").write_text("{", encoding="utf-8")
    with pytest.raises(MicroleakError, match="is not a results file"):
        write_page(tmp_path)


def further(folder, name, *taken):
    on = {name: RUN[name] for name in ("date", "machine", "versions")}
    save(folder / "performance.json", {"small": RUN})
    found = json.dumps({**on, "taken": taken})
    (folder / f"performance-{name}.json").write_text(found, encoding="utf-8")
    write_page(folder)
    return (folder / "performance-tables.md").read_text(encoding="utf-8")


def test_a_peer_that_met_the_limit_took_more_than_its_time(tmp_path):
    task = {"attack": "linear", "n": 6, "error": "1", "paper": "0.01"}
    found = {"n_queries": 64, "seconds": [2.0, 3.0, 1.0], "n_exact": 3, "peak_mib": 300}
    found |= {"task": task, "status": "finished"}
    late = {"seconds": 600.0, "is_exact": False, "status": "time"}
    text = further(tmp_path, "reconstruction", found | {"peer": late})
    assert "|more than 10 min 0 s (time)|2.00 s|> 300×|" in text
    stopped = found | {"status": "time", "peer": None}
    assert "did not finish (time)" in further(tmp_path, "reconstruction", stopped)


def test_the_page_in_the_documentation_follows_from_its_results(tmp_path):
    docs = ROOT / "docs"
    for results in docs.glob("performance*.json"):
        shutil.copy(results, tmp_path)
    write_page(tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    of_git = {path.name for path in docs.glob("performance*")} - {"performance.md"}
    assert written == of_git | {"performance-tables.md"}
    for name in written - {"performance-tables.md"}:
        assert (tmp_path / name).read_bytes() == (docs / name).read_bytes(), name
