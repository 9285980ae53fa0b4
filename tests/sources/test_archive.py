import errno
import gzip
import io
import lzma
import os
import stat
import struct
import zipfile
import zlib

import pytest

from microleak.base.errors import ArchiveError
from microleak.sources.files import archive as module
from microleak.sources.files.archive import Caps, members
from microleak.sources.files.member import Member, explained
from tests.sources.released import plain, zipped

CSV = r".+\.csv"


def contents(path, pattern=CSV, caps=None):
    found = {}
    for member in members(path, pattern, caps) if caps else members(path, pattern):
        with member.open() as file:
            found[member.name] = file.read()
    return found


def nested(members_):
    buffer = io.BytesIO()
    zipped(buffer, members_)
    return buffer.getvalue()


def test_members_match_by_base_name_ignoring_case_and_folder(tmp_path):
    path = zipped(tmp_path / "a.zip", {"Educa‡Æo/dados/MATRICULA_CO.CSV": b"x"})
    assert contents(path, r"matricula_co\.csv") == {"MATRICULA_CO.CSV": b"x"}


def test_members_come_sorted_by_base_name_ignoring_case(tmp_path):
    files = {"z/b.csv": b"", "y/A.csv": b"", "x/C.csv": b"", "x/d.txt": b""}
    path = zipped(tmp_path / "a.zip", files)
    assert list(contents(path)) == ["A.csv", "b.csv", "C.csv"]


def test_zips_inside_take_their_place_by_their_own_name(tmp_path):
    inner = nested({"2.csv": b"two", "1.csv": nested({})})
    deeper = nested({"b.zip": inner})
    path = zipped(tmp_path / "a.zip", {"a.csv": b"", "b.ZIP": deeper, "c.csv": b""})
    assert list(contents(path)) == ["a.csv", "1.csv", "2.csv", "c.csv"]


def test_a_plain_file_is_its_own_only_member_whatever_its_name(tmp_path):
    assert contents(plain(tmp_path / "survey", b"x")) == {"survey": b"x"}


def test_a_folder_gives_the_files_below_it_and_the_members_of_its_zips(tmp_path):
    (tmp_path / "f" / "DADOS").mkdir(parents=True)
    plain(tmp_path / "f" / "DADOS" / "b.CSV", b"two")
    zipped(tmp_path / "f" / "a.zip", {"a.csv": b"one"})
    assert contents(tmp_path / "f") == {"a.csv": b"one", "b.CSV": b"two"}


def test_a_member_can_be_opened_twice(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.zip": nested({"a.csv": b"one"})})
    for member in members(path, CSV):
        for _ in range(2):
            with member.open() as file:
                assert file.read() == b"one"


def test_hidden_copies_that_some_systems_add_are_not_members(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": b"x", "__MACOSX/._a.csv": b"junk"})
    assert list(contents(path)) == ["a.csv"]


def test_reading_an_archive_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = zipped(tmp_path / "a.zip", {"a.zip": nested({"../a.csv": b""})})
    with pytest.raises(ArchiveError):
        contents(path)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert {file.name for file in tmp_path.iterdir()} == {"a.zip", "temporary"}


def test_an_archive_that_is_missing_or_has_no_matching_member_is_refused(tmp_path):
    with pytest.raises(ArchiveError, match=r"none\.zip does not exist.*archive under"):
        contents(tmp_path / "none.zip")
    path = zipped(tmp_path / "a.zip", {"readme.txt": b""})
    with pytest.raises(ArchiveError, match=r"a\.zip contains no file whose name"):
        contents(path)


@pytest.mark.parametrize(
    "name", ["../a.csv", "x/../../a.csv", "/a.csv", "..\\a.csv", "C:\\a.csv", "C:a.csv"]
)
def test_a_path_that_leads_out_of_the_archive_is_refused(tmp_path, name):
    path = zipped(tmp_path / "a.zip", {"good.csv": b"", name: b""})
    with pytest.raises(ArchiveError, match=r"a\.zip: .*leads out of the archive"):
        contents(path)


def test_a_symbolic_link_is_refused(tmp_path):
    link = zipfile.ZipInfo("a.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(tmp_path / "a.zip", {link: b"/etc/passwd"})
    with pytest.raises(ArchiveError, match=r"a\.zip: a\.csv is a symbolic link"):
        contents(path)


def test_an_encrypted_member_is_refused(tmp_path):
    data = bytearray(zipped(tmp_path / "a.zip", {"a.csv": b"x"}).read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path = plain(tmp_path / "a.zip", data)
    with pytest.raises(ArchiveError, match=r"a\.csv is encrypted: unpack it locally"):
        contents(path)


def test_two_members_of_one_name_are_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {"x/a.csv": b"", "y/A.CSV": b""})
    with pytest.raises(ArchiveError, match=r"a\.csv: a second member has this name"):
        contents(path)


@pytest.mark.parametrize(
    "error",
    [
        OSError("Invalid data stream"),
        OSError(errno.EINVAL, "Invalid argument"),
        lzma.LZMAError("Corrupt input data"),
        zlib.error("Error -3"),
        EOFError(),
        ValueError("negative seek value"),
        IndexError(),
        OverflowError(),
        MemoryError(),
        RuntimeError("Bad password"),
    ],
)
def test_whatever_an_unpacker_raises_names_the_member(error):
    with pytest.raises(ArchiveError, match=r"^a\.zip: a\.csv is damaged or cut"):  # noqa: SIM117
        with explained("a.zip: a.csv"):
            raise error


def test_a_file_that_the_system_does_not_give_is_not_called_damaged():
    words = r"^a\.csv cannot be read \(Permission denied\)\. Check"
    with pytest.raises(ArchiveError, match=words):  # noqa: SIM117
        with explained("a.csv"):
            raise PermissionError(errno.EACCES, "Permission denied")


def test_a_name_is_shown_without_what_steers_a_terminal(tmp_path, name, is_shown_as):
    path = zipped(tmp_path / "a.zip", {name: b"", "x/" + name: b""})
    with pytest.raises(ArchiveError) as error:
        contents(path, "(?s).+")
    assert str(error.value).startswith(f"a.zip: {is_shown_as}: a second member")


@pytest.mark.parametrize("name", ["../\x1b.csv", "\x1b.rar", "\x1b.zip"])
def test_the_name_of_what_is_not_opened_is_shown_so_too(tmp_path, name):
    path = zipped(tmp_path / "a.zip", {name: b"x"})
    with pytest.raises(ArchiveError, match=r"a\.zip: \\x1b\."):
        contents(path)


def test_a_packing_method_python_lacks_is_named_as_such(tmp_path):
    data = bytearray(zipped(tmp_path / "a.zip", {"a.csv": b"x"}).read_bytes())
    data[data.index(b"PK\x01\x02") + 10] = 9
    data[data.index(b"PK\x03\x04") + 8] = 9
    path = plain(tmp_path / "a.zip", data)
    with pytest.raises(ArchiveError, match="packed by a method that Python cannot"):
        contents(path)


def test_a_member_that_unpacks_out_of_proportion_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": bytes(100_000)})
    with pytest.raises(ArchiveError, match=r"a\.csv would unpack to more than 200 tim"):
        contents(path, caps=Caps(ratio_from_bytes=50_000))
    assert contents(path, caps=Caps(ratio_from_bytes=100_000))


@pytest.mark.parametrize(
    ("sizes", "caps", "words"),
    [
        ([11], Caps(member_bytes=10), "would unpack to 11 bytes"),
        ([6, 6], Caps(total_bytes=10), r"1\.csv would unpack to 6 bytes, 12 with"),
    ],
)
def test_members_above_the_cap_or_together_are_refused(tmp_path, sizes, caps, words):
    files = {f"{n}.csv": bytes(size) for n, size in enumerate(sizes)}
    with pytest.raises(ArchiveError, match=words):
        contents(zipped(tmp_path / "a.zip", files), caps=caps)


def test_a_zip_inside_counts_as_what_it_takes_to_unpack_it(tmp_path):
    inner = nested({"a.csv": bytes(6)})
    path = zipped(tmp_path / "a.zip", {"a.zip": inner})
    most = len(inner) + 6
    assert list(contents(path, caps=Caps(total_bytes=most))) == ["a.csv"]
    with pytest.raises(ArchiveError, match=rf"unpack to 6 bytes, {most} with those"):
        contents(path, caps=Caps(total_bytes=most - 1))


def test_a_size_that_lies_does_not_get_past_the_cap(tmp_path):
    data = bytearray(zipped(tmp_path / "a.zip", {"a.csv": bytes(99_999)}).read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (9).to_bytes(4, "little")
    path = plain(tmp_path / "a.zip", data)
    with pytest.raises(ArchiveError, match=r"a\.csv is damaged"):
        contents(path, caps=Caps(member_bytes=10))


def test_zips_inside_each_other_beyond_the_cap_are_refused(tmp_path):
    data = nested({"a.csv": b""})
    for _ in range(3):
        data = nested({"a.zip": data})
    with pytest.raises(ArchiveError, match="inside more than 2 zips"):
        contents(plain(tmp_path / "a.zip", data))


def test_a_rar_that_may_hold_a_missing_member_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {"SUL.csv": b"", "NORTE.rar": b""})
    with pytest.raises(ArchiveError, match=r"NORTE\.rar cannot be read here"):
        contents(path, r"(NORTE|SUL)\.csv")


def test_a_rar_beside_what_was_unpacked_from_it_does_no_harm(tmp_path):
    path = zipped(tmp_path / "a.zip", {"SUL.csv": b"", "SUL.rar": b"", "DOC.rar": b""})
    assert list(contents(path, r"(NORTE|SUL)\.csv")) == ["SUL.csv"]


def test_small_members_that_unpack_out_of_proportion_together_are_refused(tmp_path):
    files = {f"{n}.csv": bytes([n]) * 40_000 for n in range(12)}
    path = zipped(tmp_path / "a.zip", files)
    with pytest.raises(ArchiveError, match=r"more than 200 times .*, with those"):
        contents(path, caps=Caps(ratio_from_bytes=50_000))
    assert len(contents(path, caps=Caps(ratio_from_bytes=480_000))) == 12


def test_zips_in_a_zip_that_unpack_out_of_proportion_together_are_refused(tmp_path):
    inner = zipped(tmp_path / "b.zip", {"b.csv": bytes(9_000_000)}).read_bytes()
    path = zipped(tmp_path / "a.zip", {"b.zip": inner})
    caps = Caps(ratio=1200, ratio_from_bytes=50_000)
    assert len(inner) > 9_000_000 / 1200 and path.stat().st_size < 900
    with pytest.raises(ArchiveError, match="would unpack to more than 1200 times"):
        contents(path, caps=caps)


def overlapping(n_members, data):
    """A zip whose members each hold, quoted, the next one's header and its data."""
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(data) + packer.flush()
    headers, entries = [], []
    for n in reversed(range(n_members)):
        name = f"{n:02}.csv".encode()
        sizes = zlib.crc32(data), len(packed), len(data), len(name), 0
        made = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, *sizes)
        header = b"PK\x03\x04" + made + name
        entry = b"PK\x01\x02" + struct.pack("<H", 20) + made
        entries.append((entry + bytes(10), name))
        headers.append(header)
        if n:
            quoted = struct.pack("<BHH", 0, len(header), len(header) ^ 0xFFFF)
            data, packed = header + data, quoted + header + packed
    archive = headers[-1] + packed
    directory = b""
    for (entry, name), header in zip(entries, headers, strict=True):
        place = struct.pack("<I", archive.index(header))
        directory += entry + place + name
    end = struct.pack(
        "<4s4H2IH", b"PK\x05\x06", 0, 0, n_members, n_members,
        len(directory), len(archive), 0,
    )  # fmt: skip
    return archive + directory + end


def test_members_that_share_their_bytes_are_refused(tmp_path):
    """Python sees that from 3.11.8 on; an older one reads this bomb."""
    data = overlapping(9, bytes(1000))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert sum(info.file_size for info in archive.infolist()) > 9000
    path = plain(tmp_path / "a.zip", data)
    with pytest.raises(ArchiveError, match=r"a\.zip: 00\.csv overlaps what follows it"):
        contents(path)


def test_the_only_member_of_a_zip_overlaps_nothing(tmp_path):
    path = plain(tmp_path / "a.zip", overlapping(1, b"x"))
    assert contents(path) == {"00.csv": b"x"}


def test_a_zip_behind_other_bytes_is_read(tmp_path):
    path = plain(tmp_path / "a.zip", b"#!" + overlapping(1, b"x"))
    assert contents(path) == {"00.csv": b"x"}


def test_what_is_neither_a_file_nor_a_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    for path in (tmp_path / "a.csv", "/dev/null"):
        with pytest.raises(ArchiveError, match="is neither a file nor a folder"):
            contents(path)
    with pytest.raises(ArchiveError, match=r"a\.csv is neither a file nor a folder"):
        contents(tmp_path)


@pytest.mark.parametrize("target", ["../out.csv", "/etc/passwd", "../none", "..", "/"])
def test_a_link_in_a_folder_that_leads_out_of_it_is_refused(tmp_path, target):
    plain(tmp_path / "out.csv", b"x")
    folder = tmp_path / "f"
    folder.mkdir()
    plain(folder / "a.csv", b"x")
    (folder / "b.csv").symlink_to(target)
    with pytest.raises(ArchiveError, match=r"f: b\.csv is a link that leads out of "):
        contents(folder)


def test_links_to_an_archive_and_within_a_folder_are_followed(tmp_path):
    folder = tmp_path / "f"
    (folder / ".store").mkdir(parents=True)
    plain(folder / ".store" / "1", b"x")
    (folder / "b.csv").symlink_to(".store/1")
    (tmp_path / "link").symlink_to(folder)
    assert contents(tmp_path / "link") == {"b.csv": b"x"}


def test_a_gzipped_file_is_unpacked_whatever_its_name(tmp_path):
    data = gzip.compress(b"x" * 999) + gzip.compress(b"y")
    assert contents(plain(tmp_path / "a.csv.gz", data)) == {"a.csv": b"x" * 999 + b"y"}
    assert contents(plain(tmp_path / "2018", data)) == {"2018": b"x" * 999 + b"y"}


def test_gzipped_files_of_a_folder_are_members_by_the_name_they_have_unpacked(tmp_path):
    plain(tmp_path / "b.CSV.GZ", gzip.compress(b"two"))
    plain(tmp_path / "a.csv", b"one")
    plain(tmp_path / "c.pdf.gz", gzip.compress(b"three"))
    assert contents(tmp_path) == {"a.csv": b"one", "b.CSV": b"two"}
    plain(tmp_path / "b.csv", b"two")
    with pytest.raises(ArchiveError, match="a second member has this name"):
        contents(tmp_path)


def test_the_size_of_a_large_gzipped_file_is_told_beyond_what_its_end_can(tmp_path):
    """Its last four bytes count modulo 4 GiB; a sparse file stands for 5 GiB packed."""
    path = tmp_path / "a.csv.gz"
    with path.open("wb") as file:
        file.truncate((5 << 30) - 4)
        file.seek(0, 2)
        file.write((100).to_bytes(4, "little"))
    entry = Member(path.name, path.name, 5 << 30, lambda: path.open("rb"))
    assert module._n_unpacked(entry) == (4 << 30) + 100


def test_a_gzipped_file_that_unpacks_out_of_proportion_is_refused(tmp_path):
    path = plain(tmp_path / "a.csv.gz", gzip.compress(bytes(100_000)))
    with pytest.raises(
        ArchiveError, match=r"a\.csv\.gz: unpacks to more than the 50000"
    ):
        contents(path, caps=Caps(ratio_from_bytes=50_000))
    assert contents(path, caps=Caps(ratio_from_bytes=100_000))


def test_a_gzipped_file_in_a_zip_is_a_member_by_the_name_it_has_unpacked(tmp_path):
    packed = gzip.compress(b"two")
    path = zipped(tmp_path / "a.zip", {"SUL.csv": b"one", "NORTE.csv.gz": packed})
    found = {"NORTE.csv": b"two", "SUL.csv": b"one"}
    assert contents(path, r"(NORTE|SUL)\.csv") == found
    path = zipped(tmp_path / "a.zip", {"SUL.csv": b"one", "SUL.csv.gz": packed})
    with pytest.raises(ArchiveError, match="a second member has this name"):
        contents(path, r"(NORTE|SUL)\.csv")


@pytest.mark.parametrize(
    "name",
    ["README.txt", "readme_2020.txt", "LEIA-ME.txt", "00_Leiame.txt", "license.txt"],
)
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_text_about_a_table_is_no_table(tmp_path, name, is_folder):
    files = {name: b"People, of 2020\n", "p.csv": b"a,b\n1,2\n"}
    path = zipped(tmp_path / "in.zip", files)
    if is_folder:
        path = tmp_path / "in"
        path.mkdir()
        for each, data in files.items():
            (path / each).write_bytes(data)
    assert [m.name for m in members(path, r".+\.(csv|txt)")] == ["p.csv"]


@pytest.mark.parametrize(
    "name", ["people.txt", "reading.txt", "notas.txt", "mereadme.txt"]
)
def test_a_text_beside_a_table_may_be_one(tmp_path, name):
    path = zipped(tmp_path / "in.zip", {name: b"a,b\n3,4\n", "z.csv": b"a,b\n1,2\n"})
    assert len([*members(path, r".+\.(csv|txt)")]) == 2


def test_a_text_alone_may_be_a_table(tmp_path):
    path = zipped(tmp_path / "in.zip", {"readme.txt": b"a,b\n3,4\n"})
    assert len([*members(path, r".+\.(csv|txt)")]) == 1
