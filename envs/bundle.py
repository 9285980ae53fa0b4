"""Writes dist/: the wheel, and all wheels that it needs in one file that installs them.

The wheels are those of envs/run.lock, for this Python and this kind of machine.
"""

import hashlib
import subprocess
import sys
import zipapp
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).resolve().parents[1]
_PIP = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation")


def wheel(folder: Path) -> Path:
    """Build microleak's wheel into a folder."""
    subprocess.run(
        [*_PIP, "--no-deps", "--wheel-dir", folder, PROJECT],
        check=True,
    )
    (built,) = folder.glob("microleak-*.whl")
    return built


def bundle(folder: Path) -> Path:
    """Write microleak's wheel, and a file that installs it without an index."""
    folder.mkdir(parents=True, exist_ok=True)
    for earlier in folder.glob("microleak-*"):
        earlier.unlink()
    own = wheel(folder)
    with TemporaryDirectory() as made:
        wheels = Path(made) / "wheels"
        lock = PROJECT / "envs/run.lock"
        locked = ["--require-hashes", "-r", lock, "--wheel-dir", wheels]
        subprocess.run([*_PIP, *locked], check=True)
        copyfile(own, wheels / own.name)
        lines = sorted(map(_pinned, wheels.glob("*.whl")))
        (wheels / "wheels.lock").write_text("".join(lines), encoding="utf-8")
        copyfile(Path(__file__).with_name("offline.py"), Path(made) / "__main__.py")
        to = folder / f"{'-'.join(own.name.split('-')[:2])}-offline.pyz"
        zipapp.create_archive(made, to)
    return to


def _pinned(file: Path) -> str:
    """Return a wheel's line of a lock."""
    name, version = file.name.split("-")[:2]
    return f"{name}=={version} --hash=sha256:{_sha256(file)}\n"


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    print(bundle(PROJECT / "dist"))
