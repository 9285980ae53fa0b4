"""Compiled code of a kernel goes when a file changes that the kernel calls."""

import os

import pytest

from microleak.kernels import remove_outdated

FILES = {
    "kernels/called.py": "MOST = 9\n",
    "kernels/between.py": "from microleak.kernels.called import MOST\n",
    "kernels/calls.py": "from microleak.kernels.between import MOST\n",
    "kernels/other.py": "from microleak.base.paths import called\n",
    "attacks/one/kernels.py": "from microleak.kernels.calls import MOST\n",
    "attacks/two/kernels/other.py": "from microleak.kernels.other import MOST\n",
    "attacks/two/kernels/calls.py": "from microleak.attacks.one.kernels import MOST\n",
}


@pytest.fixture
def package(tmp_path):
    """Kernels of which all but `between` are compiled."""
    for name, text in FILES.items():
        file = tmp_path / name
        cache = file.parent / "__pycache__"
        cache.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    remove_outdated(tmp_path)
    for name in FILES.keys() - {"kernels/between.py"}:
        file = tmp_path / name
        (file.parent / f"__pycache__/{file.stem}.kernel-1.py311.nbi").touch()
    return tmp_path


def left(package):
    found = package.rglob("*.nbi")
    files = (f"{path.parents[1]}/{path.name.partition('.')[0]}.py" for path in found)
    return {name.removeprefix(f"{package}/") for name in files}


def test_what_uses_a_changed_file_is_compiled_again(package):
    os.utime(package / "kernels/called.py", ns=(1, 1))
    remove_outdated(package)
    assert left(package) == {"kernels/other.py", "attacks/two/kernels/other.py"}


def test_nothing_is_compiled_again_where_no_file_changed_and_all_where_none_is_noted(
    package,
):
    remove_outdated(package)
    assert left(package) == FILES.keys() - {"kernels/between.py"}
    (package / "kernels/__pycache__/stamps.json").write_text("cut")
    remove_outdated(package)
    assert left(package) == set()
