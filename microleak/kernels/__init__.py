"""Arrays in, arrays out: coding, packing and walking, with NumPy and Numba only.

Kernels that one family uses alone are in `attacks/NAME/kernels`. Numba keeps what it
compiled beside a kernel's file, and compiles it again if that file changes; not if
another one does whose kernels or constants are in it. So it is removed here, before any
is loaded.
"""

import json
import os
import re
from contextlib import suppress
from pathlib import Path

_FILES = ("kernels/*.py", "attacks/*/kernels.py", "attacks/*/kernels/*.py")
_USED = re.compile(r"^from microleak\.(.*\bkernels\b\S*) import", re.MULTILINE)


def remove_outdated(package: Path) -> None:
    """Remove compiled code that has to do with a file changed since it was noted.

    What cannot be removed, as in a folder that others own, stays.
    """
    files = {
        ".".join(file.relative_to(package).with_suffix("").parts): file
        for pattern in _FILES
        for file in package.glob(pattern)
    }
    stats = {name: file.stat() for name, file in files.items()}
    stamps = {name: [each.st_mtime_ns, each.st_size] for name, each in stats.items()}
    noted = package / "kernels/__pycache__/stamps.json"
    try:
        before = json.loads(noted.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    if before == stamps:
        return
    outdated = {name for name in stamps if before.get(name) != stamps[name]}
    used = {name: {*_USED.findall(f.read_text("utf-8"))} for name, f in files.items()}
    while more := {name for name in used if used[name] & outdated} - outdated:
        outdated |= more
    with suppress(OSError):
        noted.parent.mkdir(exist_ok=True)
        for file in (files[name] for name in outdated):
            for index in file.parent.glob(f"__pycache__/{file.stem}.*.nbi"):
                index.unlink(missing_ok=True)
        # At once, as another process that reads half of it would remove everything.
        aside = noted.with_name(f"{noted.name}.{os.getpid()}")
        aside.write_text(json.dumps(stamps), encoding="utf-8")
        aside.replace(noted)


remove_outdated(Path(__file__).parents[1])
