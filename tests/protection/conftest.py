"""A small study with two protected releases, the second made of the first."""

import pytest

from microleak.cli import main

STUDY = """
study: shop
seed: 5
tables:
  shop:
    source: delimited
    options: {delimiter: ";", encoding: latin-1, missing: ["NA"], person_id: id}
    releases: {2020: {archive: raw.csv}}
hierarchies: {town: {file: towns.csv}, age: {widths: [10]}}
protections:
  coarse:
    table: shop
    release: 2020
    key: shop.key
    steps:
      - {generalise: {age: 1, town: 1}}
      - {swap: [paid], rate: "0.5", within: [town]}
      - {randomise: {paid: {keep: "0.8"}}}
      - {sample: "0.9"}
  coarser:
    table: shop
    release: coarse
    steps: [{suppress: [age, town], k: 4}]
    attributes: [paid]
analyses:
  collective:
    - {name: before, table: shop, focal: 2020, qids: [town, age], sensitive: [paid]}
"""


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A folder in which two protected releases of a small study were written."""
    folder = tmp_path_factory.mktemp("shop")
    rows = [f"{n};{n % 80};{['São', 'Sé', 'NA'][n % 3]};{n}" for n in range(200)]
    lines = ["paid;age;town;id", *rows, ""]
    (folder / "raw.csv").write_text("\n".join(lines), encoding="latin-1")
    (folder / "towns.csv").write_text("São,à\nSé,ç\n", "utf-8")
    (folder / "shop.key").touch(0o600)
    (folder / "shop.key").write_bytes(bytes(range(32)))
    (folder / "shop.yaml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for recipe, to in (("coarse", "coarse.csv"), ("coarser", "coarser.parquet")):
            words = ["protect", "shop.yaml", "--recipe", recipe, "-o", to]
            assert main(words) == 0
    return folder
