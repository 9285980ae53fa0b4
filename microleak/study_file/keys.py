"""The file of a key, from which noise or drawn values follow."""

import os
import re
import secrets
import stat
from collections.abc import Collection
from gettext import gettext as _
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.paths import RESULTS
from microleak.base.progress import tell_user

KEY_BYTES = 32  # A file of fewer bytes is no key
_MOST_KEY_BYTES = 1 << 12
_FEWEST_BYTES = 8
"""Different bytes of a key: of 32 random hexadecimal digits fewer are no chance."""


def make_key(path: Path) -> None:
    """Write a new key to a file that only its owner can read."""
    if _is_below_results(path):
        raise StudyError(_below_results(f"{path}"))
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
    except FileExistsError:
        said = _(
            "{file} is here already. What was made with it could not be made again "
            "without it. Name another file."
        )
        raise StudyError(said, file=path) from None
    except FileNotFoundError:
        said = _("There is no folder {folder}. Make it first: mkdir {folder}")
        raise StudyError(said, folder=path.parent) from None
    except OSError as error:
        said = _("{file} cannot be written ({why}). Name another file.")
        raise StudyError(said, file=path, why=error.strerror) from None


def check_key(path: Path, where: str, known: Collection[Path] = ()) -> None:
    """Refuse the file of a key that others could know, or that would be removed."""
    # `known` has files that others have, such as archives.
    made = _("Make one: microleak key {file}").format(file=path)
    said = f"{where}: the file of key, {path},"
    if _is_below_results(path):
        raise StudyError(f"{_below_results(said)} Correct key.")
    if not path.is_file():
        said = _("{where}: there is no file {file}. Correct key. {made}")
        raise StudyError(said, where=where, file=path, made=made)
    with path.open("rb") as file:
        fault = fault_of_key(file.read(_MOST_KEY_BYTES))
        mode = os.fstat(file.fileno()).st_mode
    if any(each.is_file() and each.samefile(path) for each in known):
        raise StudyError(
            f"{said} is also an archive or the study file, which others may have. Make "
            "a file of its own: microleak key FILE"
        )
    if fault:
        raise StudyError(f"{said} {fault}. Remove it. {made}")
    if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        said = _(
            "warning: other users can read {file}, and undo with it what was drawn. "
            "Close it to them: chmod 600 {file}"
        )
        tell_user(said.format(file=path))


def fault_of_key(key: bytes) -> str | None:
    """Why bytes are no key: too few, or such as are guessed; else None."""
    if len(key) < KEY_BYTES:
        return f"has {len(key)} bytes, and a key has {KEY_BYTES} or more"
    bare = key.rstrip(b"\r\n")
    parts = (bare[:n] for n in range(1, len(bare) // 2 + 1)[:KEY_BYTES])
    if len({*bare}) < _FEWEST_BYTES or any(
        bare == (part * (len(bare) // len(part) + 1))[: len(bare)] for part in parts
    ):
        return "repeats itself, and a key has bytes that nobody can guess"
    if re.fullmatch(rb"[\t\r\n -~]*[\t ,;][\t\r\n -~]*", bare):
        return "is a text, and a key has bytes that nobody can guess"
    return None


def _is_below_results(path: Path) -> bool:
    lies = path.resolve(), path.parent.resolve()  # it may be a link to a file elsewhere
    return any(each.is_relative_to(RESULTS.resolve()) for each in lies)


def _below_results(said: str) -> str:
    return (
        f"{said} is below {RESULTS}/, of which a run removes what it did not make. "
        "Put it elsewhere."
    )
