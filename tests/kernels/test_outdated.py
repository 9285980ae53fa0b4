"""Compiled code of a kernel goes when a file changes that the kernel calls."""

import os

from microleak.kernels import remove_outdated


def compiled(folder):
    for name in ("calls", "called", "other"):
        (folder / f"__pycache__/{name}.kernel-1.py311.nbi").touch()


def left(folder):
    found = (folder / "__pycache__").glob("*.nbi")
    return sorted(path.name.partition(".")[0] for path in found)


def kernels(folder):
    (folder / "__pycache__").mkdir()
    (folder / "called.py").write_text("MOST = 9\n")
    (folder / "between.py").write_text("from microleak.kernels.called import MOST\n")
    (folder / "calls.py").write_text("from microleak.kernels.between import MOST\n")
    (folder / "other.py").write_text("from microleak.base.paths import called\n")
    remove_outdated(folder)
    compiled(folder)
    return folder


def test_what_uses_a_changed_file_is_compiled_again(tmp_path):
    folder = kernels(tmp_path)
    os.utime(folder / "called.py", ns=(1, 1))
    remove_outdated(folder)
    assert left(folder) == ["other"]


def test_nothing_is_compiled_again_where_no_file_changed(tmp_path):
    folder = kernels(tmp_path)
    remove_outdated(folder)
    assert left(folder) == ["called", "calls", "other"]


def test_all_is_compiled_again_where_nothing_is_noted(tmp_path):
    folder = kernels(tmp_path)
    (folder / "__pycache__/stamps.json").write_text("cut")
    remove_outdated(folder)
    assert left(folder) == []
