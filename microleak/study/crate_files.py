"""The files of a crate: results below the study's folder, and inputs from elsewhere."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

Entity = dict[str, Any]

FORMATS = {
    "": "text/plain",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".smk": "text/plain",
    ".svg": "image/svg+xml",
}
"""Media types of results by ending; a machine's own list of them may differ."""

BYTES = "application/octet-stream"
"""Media type of what is not known by its ending."""


def ref(identifier: str) -> Entity:
    """Point to an entity of the crate."""
    return {"@id": identifier}


def refs(identifiers: Iterable[str]) -> Entity | list[Entity]:
    """Point to entities of the crate, in the order given; one stands without a list."""
    found = [ref(each) for each in identifiers]
    return found[0] if len(found) == 1 else found


def results(outputs: list[dict[str, Any]]) -> Iterator[Entity]:
    """Yield a file of the crate for each result that a manifest lists.

    It has the path, SHA-256 and bytes alone, whatever it holds.
    """
    for listed in outputs:
        path = listed["path"]
        yield {
            "@id": path,
            "@type": "File",
            "name": path,
            "encodingFormat": FORMATS.get(PurePosixPath(path).suffix, BYTES),
            "sha256": listed["sha256"],
            "contentSize": str(listed["bytes"]),
        }


def study_file(config: Mapping[str, Any]) -> Entity:
    """Return the study file, which is not in the crate: it may tell of a target."""
    return {
        "@id": named_by_hash(config["sha256"]),
        "@type": "File",
        "name": config["name"],
        "description": "The study file",
        "encodingFormat": "application/yaml",
        "sha256": config["sha256"],
    }


def archives(manifest: Mapping[str, Any]) -> list[Entity]:
    """Return the archives that were read, each once, in the order of their tables.

    The SHA-256 of a folder is that of the list of its files, as `sha256sum` prints
    it, and its bytes are theirs. An address stands there if the study file names
    one, as the manifest shows it.
    """
    found: dict[str, Entity] = {}
    for path, receipt in manifest["inputs"].items():
        if path.startswith("tables/"):
            archive = _archive(path, receipt, manifest["config"]["content"])
            found.setdefault(archive["@id"], archive)
    return list(found.values())


def _archive(
    path: str, receipt: Mapping[str, Any], content: Mapping[str, Any]
) -> Entity:
    table, release = PurePosixPath(path).with_suffix("").parts[1:]
    url = content["tables"][table]["releases"][release].get("url")
    return {
        "@id": named_by_hash(receipt["sha256"]),
        "@type": "File",
        "name": receipt["archive"],
        "description": f"What was released as {release} of {table}",
        "encodingFormat": BYTES,
        **({"url": url} if url else {}),
        "sha256": receipt["sha256"],
        "contentSize": str(receipt["bytes"]),
    }


def named_by_hash(sha256: str) -> str:
    """URI of a file that lies elsewhere: its hash (RFC 6920).

    >>> named_by_hash("00" * 32)
    'ni:///sha-256;AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    coded = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode()
    return f"ni:///sha-256;{coded.rstrip('=')}"
