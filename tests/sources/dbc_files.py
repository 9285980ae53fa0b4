"""Tables of dBase written for tests, plain (.dbf) and packed (.dbc).

The packing is PKWARE's "implode" with literals only: a bit 0 and the byte, least
bit first, and at the end a code of its own.
"""

import struct

import numpy as np

from tests.sources.released import given_values

COLUMNS = [
    *[("PA_CODUNI", 7), ("PA_MVM", 6), ("PA_CMP", 6), ("PA_PROC_ID", 10)],
    *[("PA_IDADE", 3), ("PA_SEXO", 1), ("PA_RACACOR", 2), ("PA_MUNPCN", 6)],
]
VALID = given_values(
    "PA_CODUNI=2000001 PA_MVM=202301 PA_CMP=202212 PA_PROC_ID=0301010072 PA_IDADE=041 "
    "PA_SEXO=F PA_RACACOR=03 PA_MUNPCN=140010"
)
_END = [1] + 7 * [0] + 8 * [1]


def implode(data):
    bits = np.zeros((len(data), 9), np.uint8)
    every = np.frombuffer(data, np.uint8)[:, None]
    bits[:, 1:] = np.unpackbits(every, axis=1, bitorder="little")
    stream = np.concatenate([bits.ravel(), np.array(_END, np.uint8)])
    return b"\0\x06" + np.packbits(stream, bitorder="little").tobytes()


def header(columns, n_records, page=0, version=3):
    """Header; a column is its name, its width and, if it is not text, its type."""
    n_record = 1 + sum(width for _, width, *_ in columns)
    n_header = 32 + 32 * len(columns) + 1
    first = (version, 123, 6, 17, n_records, n_header, n_record, page)
    described = [
        struct.pack("<11sc4xB15x", name.encode(), (kind or ["C"])[0].encode(), width)
        for name, width, *kind in columns
    ]
    return struct.pack("<4BIHH17xB2x", *first) + b"".join(described) + b"\r"


def record(columns, values, mark=b" ", encoding="latin-1"):
    cells = [
        value.rjust(width) if kind == ["N"] else value.ljust(width)
        for (_, width, *kind), value in zip(columns, values, strict=True)
    ]
    return mark + "".join(cells).encode(encoding)


def dbf(columns, rows, end=b"\x1a", **settings):
    """A table; each row gives a value a column, as text."""
    records = b"".join(record(columns, row) for row in rows)
    return header(columns, len(rows), **settings) + records + end


def packed(table):
    (n_header,) = struct.unpack_from("<H", table, 8)
    return table[:n_header] + b"\0\0\0\0" + implode(table[n_header:])


def month_table(*records, more=(), **settings):
    columns = [*COLUMNS, *more]
    extra = {name: "" for name, *_ in more}
    rows = [[(VALID | extra | r)[name] for name, *_ in columns] for r in records]
    return dbf(columns, rows, **settings)


def year_of_files(state="RR", year="23", n_each=2):
    """Name -> bytes of twelve packed months that differ."""
    files = {}
    for month in range(1, 13):
        own = {"PA_MVM": f"20{year}{month:02}"}
        records = [own | {"PA_IDADE": f"{age:03}"} for age in range(n_each)]
        files[f"PA{state}{year}{month:02}.dbc"] = packed(month_table(*records))
    return files


def written(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder
