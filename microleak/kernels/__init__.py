"""Arrays in, arrays out: coding, packing and walking, with NumPy and Numba only.

Numba keeps what it compiled beside a kernel's file, and compiles it again if that file
changes; not if another one does whose kernels or constants are in it. So it is removed
here, before any is loaded.
"""

import json
import re
from contextlib import suppress
from pathlib import Path

_USED = re.compile(r"^from microleak\.kernels\.(\w+) import", re.MULTILINE)


def remove_outdated(folder: Path) -> None:
    """Remove compiled code that has to do with a file changed since it was noted.

    Parameters
    ----------
    folder
        Of the kernels. What cannot be removed, as in a folder that others own, stays.
    """
    stats = {file.stem: file.stat() for file in folder.glob("*.py")}
    stamps = {name: [each.st_mtime_ns, each.st_size] for name, each in stats.items()}
    noted = folder / "__pycache__/stamps.json"
    try:
        before = json.loads(noted.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    if before == stamps:
        return
    outdated = {name for name in stamps if before.get(name) != stamps[name]}
    texts = {name: (folder / f"{name}.py").read_text("utf-8") for name in stamps}
    used = {name: {*_USED.findall(text)} for name, text in texts.items()}
    while more := {name for name in used if used[name] & outdated} - outdated:
        outdated |= more
    with suppress(OSError):
        noted.parent.mkdir(exist_ok=True)
        for index in noted.parent.glob("*.nbi"):
            if index.name.partition(".")[0] in outdated:
                index.unlink(missing_ok=True)
        noted.write_text(json.dumps(stamps), encoding="utf-8")


remove_outdated(Path(__file__).parent)
