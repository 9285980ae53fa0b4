"""Files in which no table is found, known by their first bytes, and what to do.

A file's ending tells nothing: a server, a zip or a hand gave it.
"""

import re
from codecs import BOM_UTF8
from gettext import gettext as _

from microleak.base.errors import ArchiveError

HEAD_BYTES = 1 << 14  # First bytes of a file, by which its format is known

_FORMATS = re.compile(
    rb"""(?sx)
    (?P<other>
        [XB]\n\0\0\0[\x02\x03] | RD(?:X[23]\nX|A[23]\nA|B[23]\nB)\n  # R
        | \x80[\x02-\x05] | \x89HDF\r\n\x1a\n  # pickle, HDF5
        | SQLite\ format\ 3\0 | .{8}DUCK.{0,3}\0 | \0\x01\0\0Standard\ (?:Jet|ACE)\ DB
        | (?i:(?:\s|--[^\n,;]*\n|/\*.{0,999}?\*/;?  # SQL
            |(?:begin|drop|pragma|set|use)\b[^;]*;)*
            (?:create\s+(?:table|database|schema)|insert\s+into)\s)
        | \s*(?:\{\s*"[^"]*"\s*:|\[\s*[\[{])  # JSON
        | \s*%PDF- | \x89PNG\r\n | \xff\xd8\xff
    )
    | (?P<dbase>
        [\x03\x30-\x32\x43\x63\x83\x8b\xcb\xf5].[\0-\x0c][\0-\x1f].{8}\0\0
    )
    | (?P<packed>
        PK(?:\x03\x04|\x05\x06) | 7z\xbc\xaf\x27\x1c | Rar!\x1a\x07 | .{257}ustar
        | \x1f[\x8b\x9d\xa0] | BZh[1-9]1AY&SY | \xfd7zXZ\0 | \x28\xb5\x2f\xfd
        | \x04\x22\x4d\x18 | \x5d\0\0.\0  # LZ4, lzma
    )
    | (?P<pointer>
        version\ https?://(?:git-lfs|hawser)\. | (?:\.\./)*(?:\.git)?/annex/objects/
        | outs:\s*-\ (?:md5|hash|etag):
    )
    | (?P<answer>
        (?i:\s*(?:<!--.*-->\s*)?
            <(?:!doctype\ html|html|head|body|\?xml|[a-z:]+\s+xmlns)\b)
    )
    | (?P<unknown> [^\r\n]*\0)
    """
)


def refuse_foreign(head: bytes, where: str) -> None:
    if said := foreign_format(head, where):
        raise ArchiveError(said)


def foreign_format(head: bytes, where: str) -> str | None:
    found = _FORMATS.match(head.removeprefix(BOM_UTF8))
    kind = found.lastgroup if found else None
    return _sentences()[kind].format(where=where) if kind else None


def _sentences() -> dict[str, str]:
    return {
        "other": _(
            "{where} is a file of another kind, in which no table is found. Save its "
            "table as CSV, xlsx or Parquet in the program that made it."
        ),
        "dbase": _(
            "{where} is a table of dBase (.dbf, or .dbc as DATASUS packs it), not a "
            "CSV. Outpatient procedures of DATASUS are read with source: "
            "datasus_sia_pa in a study file (docs/sources.md). Save any other table as "
            "CSV: of .dbf with LibreOffice, of .dbc with TabWin."
        ),
        "packed": _(
            "{where} is packed twice, or in a way that microleak cannot open. "
            "Unpack it and give the result."
        ),
        "pointer": _(
            "{where} is a pointer, not the file that it stands for. Fetch that with "
            "git lfs pull, git annex get or dvc pull."
        ),
        "answer": _(
            "{where} is HTML or XML, not a table. A server may have sent a web page "
            "instead of the file. Fetch it again, or save its table as CSV."
        ),
        "unknown": _(
            "{where} is no text: its first line has a zero byte. Save its table as "
            "CSV, or fetch the file again."
        ),
    }
