"""Forked commands end as programs do."""

import os
from itertools import cycle

import pytest

from tests import commands
from tests.commands import Ended, _ended


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        *(("no such study", 1, "no such study\n"), ("", 1, "\n")),
        *((None, 0, ""), (0, 0, ""), (3, 3, "")),
    ],
)
def test_a_command_exits_with_a_status_or_a_message(tmp_path, code, status, said):
    (tmp_path / "ends_at_once.py").write_text(
        f"import sys\n\ndef main(words):\n    sys.exit({code!r})\n", "utf-8"
    )
    assert _ended("ends_at_once", [], tmp_path, {}) == Ended(status, said)


@pytest.mark.long
def test_two_commands_one_after_another_order_a_set_otherwise(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "_SEEDS", cycle("23"))
    (tmp_path / "lists_a_set.py").write_text(
        "def main(words):\n    print(*{str(i) for i in range(99)})\n", "utf-8"
    )
    one, other = (_ended("lists_a_set", [], tmp_path, {}).output for _ in range(2))
    assert {*one.split()} == {*other.split()}
    assert one != other
    fixed = {"PYTHONHASHSEED": "1"}
    one, other = (_ended("lists_a_set", [], tmp_path, fixed).output for _ in range(2))
    assert one == other


def test_a_closed_handle_is_not_synced(tmp_path):
    with (tmp_path / "file").open("wb") as file:
        handle = file.fileno()
        os.fsync(handle)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fsync(handle)
