"""A stand-in for conda, as conda-forge cannot be reached where tests run.

It understands what Snakemake says to conda, and makes an environment of nothing but
the file that it is given: its Python, a virtual environment, and what stands under
`pip`. That is installed from a package index, in the file's own words.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import yaml

# Variable: the folder that conda is in
HOME = "CONDA_HOME"
# File of an environment, and the scripts that its Python ran, one a line
RAN = "ran.txt"
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


def put(folder: Path) -> None:
    folder.mkdir(parents=True)
    program = folder / "conda"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P {__file__} "$@"\n')
    program.chmod(0o755)
    (folder / "activate").write_text(ACTIVATE)


def create(file: Path, prefix: Path) -> None:
    """Make an environment of a file that was copied to where nothing else is."""
    python, pip, given = yaml.safe_load(file.read_text("utf-8"))["dependencies"]
    ours = ".".join(map(str, sys.version_info[:2]))
    assert python == f"python={ours}", f"{python} is asked for, and this is {ours}"
    assert pip == "pip"
    subprocess.run([sys.executable, "-m", "venv", prefix], check=True)
    (site,) = prefix.glob("lib/python*/site-packages")
    wanted = prefix / "requirements.txt"
    wanted.write_text("\n".join(given["pip"]))
    install = [prefix / "bin/python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "-U", "-r", wanted], check=True)
    (site / "sitecustomize.py").write_text(
        f"import sys\nwith open({str(prefix / RAN)!r}, 'a') as ran:\n"
        "    print(sys.argv[0], file=ran)\n"
    )


def main(words: list[str]) -> None:
    if words == ["--version"]:
        print("conda 24.11.0")
    elif words == ["info", "--json"]:
        home = Path(os.environ[HOME])
        print(json.dumps({"conda_prefix": str(home), "platform": "linux-64"}))
    elif words[0] == "clean":
        return
    elif words[:2] == ["config", "--get"]:
        print(json.dumps({"get": {"channel_priority": "strict"}}))
    else:
        parser = ArgumentParser()
        parser.add_argument("command", nargs=2)
        parser.add_argument("--file", type=Path)
        parser.add_argument("--prefix", type=Path)
        given, _ = parser.parse_known_args(words)
        assert given.command == ["env", "create"], words
        create(given.file, given.prefix)


if __name__ == "__main__":
    main(sys.argv[1:])
