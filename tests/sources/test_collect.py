"""Files of a release from an FTP server that drops, changes and refuses."""

import hashlib
import json

import pytest

from microleak.base.errors import ArchiveError, MicroleakError, StudyError
from microleak.base.files import is_locked
from microleak.sources.definitions.definition import source_definition
from microleak.sources.fetch import attempts, ftp
from microleak.sources.fetch.collect import collect
from tests.sources.dbc_files import written
from tests.sources.ftp_office import serving
from tests.sources.released import census
from tests.watched import steps_watched

RORAIMA = source_definition("datasus_sia_pa", "RR-2023", {})
N_BYTES = 200_000
FILES = {f"PARR23{month:02}.dbc": bytes([month]) * N_BYTES for month in range(1, 13)}
FIRST = "PARR2301.dbc"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch):
    monkeypatch.setattr(attempts, "PAUSES_S", (0.0, 0.0))


@pytest.fixture
def office(tmp_path):
    written(tmp_path / "server" / "dissemin" / "Dados", FILES)
    (tmp_path / "server" / "dissemin" / "Dados" / "Old").mkdir()
    with serving(tmp_path / "server") as office:
        yield office


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "raw" / "RR-2023"


def collected(office, folder):
    return collect(office.url, folder, RORAIMA, folder / "complete.txt")


def here(folder):
    return {path.name: path.read_bytes() for path in folder.glob("PA*")}


def sums(files):
    lines = [f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files)]
    return "".join(lines)


def refused(office, folder, words, kind=ArchiveError):
    with pytest.raises(kind, match=words) as error:
        collected(office, folder)
    assert str(error.value).isprintable()
    assert not (folder / "complete.txt").exists()


def test_all_months_are_fetched_and_their_sums_noted(office, folder):
    written(office.files, {"PASP2301a.dbc": b"another state", "x.txt": b""})
    collected(office, folder)
    assert here(folder) == FILES
    assert (folder / "SHA256SUMS").read_text("utf-8") == sums(FILES)
    assert (folder / "complete.txt").read_text("utf-8") == sums(FILES)


def test_parts_of_a_month_are_fetched_whatever_their_number(office, folder):
    (office.files / FIRST).rename(office.files / "PARR2301a.dbc")
    written(office.files, {"PARR2301b.dbc": b"b", "PARR2301c.dbc": b"c"})
    collected(office, folder)
    assert len(here(folder)) == 14


def test_a_dropped_connection_is_resumed_where_it_broke(office, folder):
    office.faults = [70_000, 90_000]
    collected(office, folder)
    assert here(folder) == FILES
    first = [place for name, place in office.asked if name == FIRST]
    assert first == [0, 70_000, 160_000]


def test_a_later_run_goes_on_where_the_last_one_was_given_up(office, folder):
    office.faults = [1_000, 0, 0, 0]
    refused(office, folder, r"1000 of 200000 bytes of PARR2301\.dbc came.* is kept")
    collected(office, folder)
    assert here(folder) == FILES
    assert office.asked[4] == (FIRST, 1_000)


def test_a_file_that_is_there_is_not_fetched_again(office, folder):
    office.faults = [1 << 60, 0, 0, 0]
    refused(office, folder, r"PARR2302\.dbc came")
    office.asked.clear()
    collected(office, folder)
    assert FIRST not in [name for name, _ in office.asked]


def test_progress_comes_to_the_bytes_that_were_left(office, folder):
    office.faults = [1_000, 0, 0, 0]
    refused(office, folder, "came")
    with steps_watched() as steps:
        collected(office, folder)
    ((step, total, advances),) = steps
    assert (step, total) == ("fetching", 12 * N_BYTES - 1_000)
    assert sum(advances) == total


def test_a_server_that_cannot_resume_gives_the_file_from_its_start(office, folder):
    office.takes_rest, office.faults = False, [70_000]
    collected(office, folder)
    assert here(folder) == FILES
    assert office.asked[:2] == [(FIRST, 0), (FIRST, 0)]


def test_when_all_is_there_a_rerun_checks_it_without_the_server(office, folder):
    collected(office, folder)
    (folder / "complete.txt").unlink()
    office.asked.clear()
    collect("ftp://127.0.0.1:9/", folder, RORAIMA, folder / "complete.txt")
    assert office.asked == []
    assert (folder / "complete.txt").read_text("utf-8") == sums(FILES)


def test_a_file_that_was_damaged_here_is_fetched_again(office, folder):
    collected(office, folder)
    (folder / FIRST).write_bytes(b"damaged")
    office.asked.clear()
    collected(office, folder)
    assert office.asked == [(FIRST, 0)]
    assert here(folder) == FILES


def test_a_file_with_other_bytes_than_first_seen_is_refused(office, folder):
    collected(office, folder)
    (folder / "complete.txt").unlink()
    (folder / FIRST).unlink()
    written(office.files, {FIRST: b"x" * N_BYTES})
    refused(office, folder, r"PARR2301\.dbc has SHA-256 \w{64}, \w{64} when first seen")
    assert not (folder / FIRST).exists()
    assert (folder / "SHA256SUMS").read_text("utf-8") == sums(FILES)


@pytest.mark.parametrize("change", ["bytes", "date", "gone"])
def test_a_file_that_changed_on_the_server_since_is_refused(office, folder, change):
    collected(office, folder)
    (folder / "complete.txt").unlink()
    (folder / "PARR2302.dbc").unlink()
    if change == "bytes":
        written(office.files, {FIRST: b"another"})
    elif change == "date":
        office.written = "07-01-24  10:00AM"
    else:
        (office.files / FIRST).rename(office.files / "PARR2301.dbf")
    words = r"PARR2301\.dbc was changed on the server, or removed.* delete .*RR-2023"
    refused(office, folder, words)


def test_a_part_of_a_file_that_changed_since_is_not_gone_on_with(office, folder):
    office.faults = [1_000, 0, 0, 0]
    refused(office, folder, "came")
    written(office.files, {FIRST: b"another"})
    collected(office, folder)
    assert here(folder) == FILES | {FIRST: b"another"}


def test_a_part_of_unknown_origin_is_started_anew(office, folder):
    written(folder, {f"{FIRST}.part": b"else"})
    collected(office, folder)
    assert here(folder) == FILES


def give_page(office):
    written(office.files, {FIRST: b"<html>" + b"x" * 1000})


def give_parts(office):
    (office.files / FIRST).rename(office.files / "PARR2301a.dbc")
    written(office.files, {"PARR2301c.dbc": b"c"})


def list_more(office):
    office.lists[FIRST] = office.sizes[FIRST] = N_BYTES + 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda office: office.sizes.update({FIRST: 7}),
            r"PARR2301\.dbc has 7 bytes and 200000 in the list",
        ),
        (list_more, r"200000 of 200001 bytes of PARR2301\.dbc came"),
        (give_page, r"PARR2301\.dbc is a web page, not a released file"),
        (
            lambda office: (office.files / "PARR2307.dbc").unlink(),
            "RR-2023 has no file of month 07",
        ),
        (give_parts, r"PARR2301a\.dbc is one of several parts .* b is missing"),
    ],
)
def test_files_that_are_no_whole_release_are_refused(office, folder, change, words):
    change(office)
    refused(office, folder, words)
    assert FIRST not in here(folder)


def test_of_a_year_that_ended_early_what_came_since_is_fetched(office, folder):
    december = (office.files / "PARR2312.dbc").read_bytes()
    (office.files / "PARR2312.dbc").unlink()
    assert collected(office, folder) == 11
    before = here(folder)
    written(office.files, {"PARR2312.dbc": december})
    assert collected(office, folder) == 1
    assert here(folder) == before | {"PARR2312.dbc": december}


def test_a_list_of_another_form_is_refused_by_its_line(office, folder, line):
    office.more_lines = ["", line]
    refused(office, folder, "line 15 of the server's list is not as MS-DOS lists")


def test_names_that_lead_out_of_the_folder_are_not_the_releases(office, folder):
    office.more_lines = [
        f"06-17-24  09:55AM  9 {name}"
        for name in ("../PARR2301.dbc", "/etc/PARR2301.dbc", "..\\PARR2301a.dbc")
    ]
    collected(office, folder)
    assert here(folder) == FILES
    assert [path.name for path in folder.parent.iterdir()] == ["RR-2023"]


def test_a_directory_that_is_not_there_is_refused(office, folder):
    url = f"ftp://127.0.0.1:{office.port}/dissemin/Nada/"
    with pytest.raises(ArchiveError, match=r"refused the directory \(answer 550\)"):
        collect(url, folder, RORAIMA, folder / "complete.txt")


def test_a_file_that_the_server_does_not_give_is_named(office, folder):
    (office.files / FIRST).unlink()
    office.more_lines = [f"{office.written}  7 {FIRST}"]
    refused(office, folder, r"the server refused PARR2301\.dbc \(answer 550\)")


def test_a_login_that_is_refused_is_not_tried_again(tmp_path, folder):
    written(tmp_path / "server", {})
    with serving(tmp_path / "server", is_open=False) as office:
        refused(office, folder, r"refused the anonymous login \(answer 530\)")


def test_a_server_that_is_down_is_given_up_after_some_attempts(folder):
    words = r"could not be fetched: the connection broke \(ConnectionRefusedError\)"
    with pytest.raises(ArchiveError, match=words):
        collect("ftp://127.0.0.1:9/", folder, RORAIMA, folder / "complete.txt")


def test_two_downloads_do_not_write_one_part(office, folder):
    folder.mkdir(parents=True)
    with (folder / f"{FIRST}.part").open("ab") as other:
        # As first seen, so that the part is not started anew.
        entry = {"n_bytes": N_BYTES, "written": office.written.replace("  ", " ")}
        listing = json.dumps(dict.fromkeys(FILES, entry))
        (folder / "listing.json").write_text(listing, encoding="utf-8")
        assert is_locked(other)
        refused(office, folder, "written by another download")


def test_an_address_that_cannot_be_is_refused_at_once(folder, url, words):
    with pytest.raises(StudyError, match=words) as error:
        collect(url, folder, RORAIMA, folder / "complete.txt")
    assert "word@" not in str(error.value)
    assert "=word" not in str(error.value)
    assert not folder.exists()


def test_a_source_with_one_file_a_release_has_no_directory(folder):
    with pytest.raises(MicroleakError, match="a release of inep_school_census is one"):
        collect("ftp://a.br/", folder, census(), folder / "complete.txt")


def test_no_more_is_taken_of_a_file_than_was_listed(office, folder):
    written(office.files, {FIRST: bytes(50_000_000)})
    office.lists = office.sizes = {FIRST: 1000}
    words = f"{FIRST} has other bytes than the 1000 of the list"
    with steps_watched() as steps:
        refused(office, folder, words)
    ((_, _, advances),) = steps
    assert sum(advances) < 1_000_000
    assert not (folder / f"{FIRST}.part").exists()


def test_a_list_without_end_is_given_up(office, folder, monkeypatch):
    monkeypatch.setattr(ftp, "_MOST_LIST_BYTES", 10_000)
    line = "06-17-24  09:55AM              8512345 PAXX{}.dbc"
    office.more_lines = [line.format(n) for n in range(1000)]
    refused(office, folder, "the server's list has more than 10000 bytes")


def test_a_disk_without_room_for_all_files_is_told_first(office, folder, monkeypatch):
    monkeypatch.setattr(attempts, "RESERVE_BYTES", 1 << 60)
    refused(office, folder, f"^{12 * N_BYTES} bytes are to come.*Make room on the disk")
    assert office.asked == []


@pytest.mark.parametrize("text", ["", "{", '{"PARR2301.dbc": {}}', "[]", '{"a": 1}'])
def test_a_damaged_note_of_the_list_is_named(office, folder, text):
    collected(office, folder)
    (folder / "complete.txt").unlink()
    (folder / "listing.json").write_text(text, encoding="utf-8")
    refused(office, folder, r"listing\.json is damaged\. Delete .*RR-2023 and run")
