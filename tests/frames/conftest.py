"""The example study that has every family, run to its end once."""

import subprocess
import sys

import pytest

from microleak.base.paths import CONFIG


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Folder of the results of config/examples/delimited-demo.yaml."""
    folder = tmp_path_factory.mktemp("demo")
    folder.joinpath("config").symlink_to(CONFIG)
    command = [sys.executable, "-m", "microleak", "run"]
    subprocess.run(
        [*command, "config/examples/delimited-demo.yaml"],
        check=True,
        cwd=folder,
        capture_output=True,
    )
    return folder / "results" / "delimited-demo"
