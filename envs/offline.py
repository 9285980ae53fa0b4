"""Installs microleak from this file into an environment of its own; needs no index.

python microleak-VERSION-offline.pyz FOLDER
"""

import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

BIN = "Scripts" if sys.platform == "win32" else "bin"


def main() -> int:
    """Make the environment, and install what this file has, by its hashes."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    folder = Path(sys.argv[1])
    if folder.exists():
        print(f"{folder} is there already. Name a folder that is not.")
        return 1
    with tempfile.TemporaryDirectory() as unpacked:
        with zipfile.ZipFile(sys.argv[0]) as bundle:
            bundle.extractall(unpacked)
        venv.create(folder, with_pip=True)
        wheels = Path(unpacked) / "wheels"
        pip = [str(folder / BIN / "python"), "-m", "pip", "install", "--quiet"]
        offline = ["--no-index", "--no-deps", "--disable-pip-version-check"]
        locked = ["--find-links", str(wheels), "--require-hashes"]
        lock = ["-r", str(wheels / "wheels.lock")]
        status = subprocess.run([*pip, *offline, *locked, *lock], check=False)
    if status.returncode:
        shutil.rmtree(folder)
        print("Nothing was installed. Use the system and the Python of the bundle.")
        return 1
    print(f"microleak is installed: {folder / BIN / 'microleak'} demo")
    return 0


if __name__ == "__main__":
    sys.exit(main())
