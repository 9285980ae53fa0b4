"""Files of other formats, known by their first bytes, and how a CSV is made of each.

A file's ending tells nothing: a server, a zip or a hand gave it.
"""

import re
from codecs import BOM_UTF8
from gettext import gettext as _

from microleak.base.errors import ArchiveError

HEAD_BYTES = 1 << 14  # First bytes of a file, by which its format is known
# Of what is packed, and not unpacked where it lies in an archive
ENDINGS = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".lz4", ".lzma", ".z", ".tar")

_FORMATS = (
    ("pandas", "Parquet", rb"PAR[1E].*\0", "read_parquet"),
    ("pandas", "Arrow (Feather)", rb"ARROW1\0|FEA1.*\0|\xff{4}.{3}\0", "read_feather"),
    ("pandas", "ORC", rb"ORC.*\0", "read_orc"),
    ("pandas", "SPSS", rb"\$FL[23]@\(#\)|.{0,200}SPSS PORT FILE", "read_spss"),
    ("pandas", "Stata", rb"<stata_dta>|[h-s][\x01\x02]\x01\0", "read_stata"),
    ("pandas", "SAS", rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIB", "read_sas"),
    ("pandas", "HDF5", rb"\x89HDF\r\n\x1a\n", "read_hdf"),
    ("pandas", "Python (pickle)", rb"\x80[\x02-\x05]", "read_pickle"),
    ("program", "R", rb"[XB]\n\0\0\0[\x02\x03]|RD([XAB])[23]\n\1\n", ""),
    ("program", "Avro", rb"Obj\x01", ""),
    ("program", "NumPy", rb"\x93NUMPY", ""),
    ("program", "NetCDF", rb"CDF[\x01\x02\x05]", ""),
    ("program", "SQLite", rb"SQLite format 3\0", ""),
    ("program", "DuckDB", rb".{8}DUCK.{0,3}\0", ""),
    ("program", "Access", rb"\0\x01\0\0Standard (Jet|ACE) DB", ""),
    ("sheet", "", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ""),
    ("sheet", "", rb"\t[\0\x02\x04\x08][\x04\x06\x08]\0", ""),
    ("sheet", "", rb"PK\x03\x04.*(xl/|mimetypeapplication/vnd\.oasis\.op.*sheet)", ""),
    (
        "dbase",
        "",
        rb"[\x03\x30-\x32\x43\x63\x83\x8b\xcb\xf5].[\0-\x0c][\0-\x1f].{8}\0\0",
        "",
    ),
    ("packed", "bzip2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", ""),
    ("packed", "xz", rb"\xfd7zXZ\0|\x5d\0\0.\0", ""),
    ("packed", "Zstandard", rb"\x28\xb5\x2f\xfd", ""),
    ("packed", "LZ4", rb"\x04\x22\x4d\x18", ""),
    ("packed", "gzip", rb"\x1f\x8b", ""),
    ("packed", "compress", rb"\x1f[\x9d\xa0]", ""),
    ("packed", "7-Zip", rb"7z\xbc\xaf\x27\x1c", ""),
    ("packed", "RAR", rb"Rar!\x1a\x07", ""),
    ("packed", "tar", rb".{257}ustar", ""),
    ("packed", "zip", rb"PK(\x03\x04|\x05\x06)", ""),
    ("document", "PDF", rb"\s*%PDF-", ""),
    ("document", "RTF", rb"\{\\rtf", ""),
    ("document", "PNG", rb"\x89PNG\r\n", ""),
    ("document", "JPEG", rb"\xff\xd8\xff", ""),
    ("document", "GIF", rb"GIF8[79]a.*\0", ""),
    ("document", "TIFF", rb"II\x2a\0|MM\0\x2a", ""),
    ("pointer", "Git LFS", rb"version https?://(git-lfs|hawser)\.", "git lfs pull"),
    ("pointer", "git-annex", rb"(\.\./)*(\.git)?/annex/objects/", "git annex get"),
    ("pointer", "DVC", rb"outs:\s*- (md5|hash|etag):", "dvc pull"),
    ("answer", "HTML", rb"(?i)\s*(<!--.*-->\s*)?<(!doctype html|html|head|body)\b", ""),
    ("answer", "XML", rb"(?i)\s*<(\?xml\b|[a-z:]+\s+xmlns)", ""),
    ("answer", "JSON", rb"\s*(\{\s*\"[^\"]*\"\s*:|\[\s*[\[{])", ""),
    ("program", "Weka (ARFF)", rb"(?i)(\s|%[^\n]*\n)*@relation\s", ""),
    (
        "program",
        "SQL",
        rb"(?i)(\s|--[^\n,;]*\n|/\*.{0,999}?\*/;?|(begin|drop|pragma|set|use)\b[^;]*;)*"
        rb"(create\s+(table|database|schema)|insert\s+into)\s",
        "",
    ),
    ("program", "YAML", rb"(%YAML[^\n]*\n)?---[ \t]*\r?\n\s*(- |[\w\"' ]+:\s)", ""),
    ("text", "UTF-32", rb"\xff\xfe\0\0|\0\0\xfe\xff|([\t-~]\0\0\0){2}", ""),
    ("text", "UTF-32", rb"(\0\0\0[\t-~]){2}", ""),
    ("text", "UTF-16", rb"\xff\xfe|\xfe\xff|([\t-~\xa0-\xff]\0){3}", ""),
    ("text", "UTF-16", rb"(\0[\t-~\xa0-\xff]){3}", ""),
    ("unknown", "", rb"[^\r\n]*\0", ""),
)
"""Kind, name, first bytes as a regular expression, and by what the rest is done."""


def refuse_foreign(head: bytes, where: str) -> None:
    if said := foreign_format(head, where):
        raise ArchiveError(said)


def foreign_format(head: bytes, where: str) -> str | None:
    text = head.removeprefix(BOM_UTF8)
    for kind, name, begins, how in _FORMATS:
        if re.match(begins, text, re.DOTALL):
            return _sentences()[kind].format(where=where, name=name, how=how)
    return None


def spreadsheet(where: str) -> str:
    return _sentences()["sheet"].format(where=where)


def _sentences() -> dict[str, str]:
    return {
        "pandas": _(
            "{where} is a file of {name}, not a CSV. Save its table as CSV in the "
            "program that made it, or in Python: pandas.{how}(FILE).to_csv(CSV, "
            "index=False)."
        ),
        "program": _(
            "{where} is a file of {name}, not a CSV. Save its table as CSV in the "
            "program that made it."
        ),
        "sheet": _(
            "{where} is a spreadsheet, not a CSV. Open it and save the sheet as CSV."
        ),
        "dbase": _(
            "{where} is a table of dBase (.dbf, or .dbc as DATASUS packs it), not a "
            "CSV. Outpatient procedures of DATASUS are read with source: "
            "datasus_sia_pa in a study file (docs/sources.md). Save any other table as "
            "CSV: of .dbf with LibreOffice, of .dbc with TabWin."
        ),
        "packed": _(
            "{where} is packed with {name}, which microleak does not open here. "
            "Unpack it and give the result."
        ),
        "document": _(
            "{where} is a document or an image ({name}), not a CSV. Get its data as "
            "CSV."
        ),
        "pointer": _(
            "{where} is a pointer of {name}, not the file that it stands for. Fetch "
            "that with {how}."
        ),
        "answer": _(
            "{where} is {name}, not a CSV. A server may have sent a web page in place "
            "of the file. Fetch it again, or save its table as CSV."
        ),
        "text": _(
            "{where} is text in {name}, which is not read. Save it as UTF-8, which "
            "Excel calls CSV UTF-8."
        ),
        "unknown": _(
            "{where} is no text: its first line has a zero byte. Save its table as "
            "CSV, or fetch the file again."
        ),
    }
