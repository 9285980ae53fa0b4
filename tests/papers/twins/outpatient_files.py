"""Reads synthetic outpatient files independently of what writes them."""

import struct
from pathlib import Path

import numpy as np
import pandas as pd


def header_of(path):
    """Number of records, and name, type, width and decimals of each column."""
    raw = Path(path).read_bytes()
    n_records, n_header, n_record = struct.unpack_from("<IHH", raw, 4)
    columns = [
        (
            raw[at : at + 11].rstrip(b"\0").decode(),
            chr(raw[at + 11]),
            *raw[at + 16 :][:2],
        )
        for at in range(32, n_header - 1, 32)
    ]
    assert raw[n_header - 1 : n_header] == b"\r"
    assert 1 + sum(width for *_, width, _ in columns) == n_record
    assert len(raw) == n_header + n_records * n_record + 1
    assert raw[-1:] == b"\x1a"
    return n_records, columns


def bytes_of(path):
    """Records of a file as fixed texts, with the mark of deletion as `mark`."""
    n_records, columns = header_of(path)
    fields = [("mark", "S1"), *((name, f"S{width}") for name, _, width, _ in columns)]
    start = 33 + 32 * len(columns)
    return np.fromfile(path, np.dtype(fields), n_records, offset=start)


def records_of(folder, names):
    files = [bytes_of(path) for path in sorted(Path(folder).glob("*.dbf"))]
    return pd.DataFrame(
        {name: np.concatenate([f[name] for f in files]).astype(str) for name in names}
    )


def valid(records):
    """Records whose patient is known, as Gonze 4.1 keeps them."""
    return records[
        records["PA_RACACOR"].isin(["01", "02", "03", "04", "05"])
        & records["PA_SEXO"].isin(["M", "F"])
        & (records["PA_IDADE"] != "999")
        & (records["PA_MUNPCN"] != "999999")
        & ~records["PA_MUNPCN"].str.endswith("0000")
    ]
