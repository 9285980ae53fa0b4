"""What a public report says, beside the attacks that broke the form before it."""

from itertools import product
from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import (
    public,
    published_blocks,
    published_inference,
    published_releases,
)
from microleak.base.errors import StudyError
from microleak.study.tables import tables as specs
from tests.collective_rows import write_success_rows
from tests.panels import collective

PUBLIC_CLASSES = specs()["blocks"].saying("share")


def publish(folder, people, qids, sensitive=(), earlier=None):
    """What is published of people, rows of attributes; those of `earlier` linked."""
    folder.mkdir(exist_ok=True)
    releases = {"2": people} | ({"1": earlier} if earlier else {})
    releases = {
        name: {f"{i:06}": row for i, row in enumerate(rows)}
        for name, rows in releases.items()
    }
    rows = collective(folder, releases, qids, sensitive)
    analysis = Collective(
        "demo", "people", "2", qids, sensitive, "all", (*releases,)[1:]
    )
    blocks = published_blocks(folder / "success/s", analysis)
    return blocks, published_inference(rows, analysis)


def of(table, *columns):
    return table[[*columns]].to_numpy().tolist()


def test_a_table_of_fewer_than_1000_records_has_no_number(tmp_path):
    blocks, inference = publish(
        tmp_path, [{"a": i % 7, "ill": "y"} for i in range(999)], ("a",), ("ill",)
    )
    assert blocks.empty
    assert inference.empty


def town(n=1_200):
    """People of whom age says little, street more, and both together most."""
    return [{"age": i % 3, "street": i % 200, "ill": i % 4 == 0} for i in range(n)]


def test_single_attributes_and_the_worst_of_each_size_are_shown(tmp_path):
    people = [{"a": i // 600, "b": i % 7, "c": i % 300} for i in range(1_200)]
    blocks, _ = publish(tmp_path, people, ("a", "b", "c"))
    shown = of(blocks, "qids", "is_worst")
    assert shown == [
        ["a", "false"],
        ["b", "false"],
        ["c", "true"],
        ["b|c", "true"],
        ["a|b|c", "true"],
    ]


def test_classes_are_all_listed_and_add_up_to_100(tmp_path):
    blocks, _ = publish(tmp_path, town(), ("age", "street"))
    assert of(blocks, *PUBLIC_CLASSES) == [
        [0, 0, 0, 0, 100],
        [0, 0, 100, 0, 0],
        [0, 100, 0, 0, 0],
    ]


def test_order_alone_tells_nothing_of_counts_that_round_alike(tmp_path):
    """Two streets and their combination, each with 0 to 9 people alone (M1)."""
    analysis = Collective("demo", "people", "2", ("a", "b"), (), "all")
    seen = set()
    for alone in product(range(0, 10, 3), repeat=3):
        write_sizes(tmp_path / "s", dict(zip(["a", "b", "a|b"], alone, strict=True)))
        seen.add(published_blocks(tmp_path / "s", analysis).to_csv())
    assert len(seen) == 1
    assert "a,1,true" in seen.pop()


def write_sizes(path, alone):
    """Records by exact success, some alone and all others in one block."""
    rows = [
        {
            **{"qids": qids, "n_qids": qids.count("|") + 1},
            **{"denominator": size, "n_records": n},
        }
        for qids, n_alone in alone.items()
        for size, n in [(1, n_alone), (1_000 - n_alone, 1_000 - n_alone)]
        if n
    ]
    write_success_rows(path, rows)


def test_linked_releases_are_all_linked_where_they_are_published(tmp_path):
    earlier = [{"age": i % 2, "street": 0} for i in range(1_200)]
    blocks, _ = publish(tmp_path, town(), ("age", "street"), (), earlier)
    assert set(blocks["auxiliary"]) == {"1"}
    assert len(blocks) == 3


def test_inference_is_shown_before_and_with_a_combination(tmp_path):
    _, inference = publish(tmp_path, town(), ("age", "street"), ("ill",))
    assert of(inference, "qids", "prior_pct", "posterior_pct") == [
        ["age", 80, 80],
        ["street", 80, 100],
        ["age|street", 80, 100],
    ]


def test_no_number_says_of_whom_a_value_is_certain(tmp_path):
    """A street of two, of one value or of both (C2); a school that is all ill (C3)."""
    pages = []
    for last in ("n", "y"):
        people = [
            {"street": i // 2, "ill": "y" if i % 5 else "n"} for i in range(1_498)
        ]
        people += [{"street": "s", "ill": "y"}, {"street": "s", "ill": last}]
        pages.append(publish(tmp_path / last, people, ("street",), ("ill",)))
    for first, other in zip(*pages, strict=True):
        pd.testing.assert_frame_equal(first, other)


def test_releases_tell_neither_a_hash_nor_what_was_refused_or_removed():
    ingest = pd.DataFrame(
        {
            "table": "t",
            "release": ["1", "2"],
            "n_read": [1_260, 999],
            "n_refused": [3, 0],
            "n_records": [1_249, 999],
            "synthetic": "false",
            "sha256": "f" * 64,
        }
    )
    shown = published_releases(ingest)
    assert [*shown.columns] == ["table", "release", "n_records", "synthetic"]
    assert shown["n_records"].tolist() == [1_200, pd.NA]


def test_counts_that_round_alike_publish_the_same_bytes(tmp_path):
    tables = []
    for n_alone in (0, 9):
        people = [{"a": i if i < n_alone else "x", "ill": "n"} for i in range(1_000)]
        tables.append(publish(tmp_path / str(n_alone), people, ("a",), ("ill",)))
    for first, other in zip(*tables, strict=True):
        assert first.to_csv() == other.to_csv()


def test_releases_that_are_linked_by_fewer_attributes_have_no_public_report(tmp_path):
    """The page could not say which, and a reader who knows them learns more."""
    few = Collective(
        "demo", "people", "2", ("a", "b"), (), "all", ("1",), fewer={"1": ("a",)}
    )
    study = SimpleNamespace(name="town", analyses={"collective": {"demo": few}})
    with pytest.raises(StudyError, match="'demo' links 1 by fewer attributes than its"):
        next(public(study, tmp_path))
