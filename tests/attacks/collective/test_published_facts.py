"""What a page must know of collective analyses beside their tables."""

import json

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import linked_persons


def test_linked_persons_are_counted_as_the_receipts_of_the_panels_do(tmp_path):
    folder = tmp_path / "panels/census/2014"
    folder.mkdir(parents=True)
    for release, n_linked in [("2015", 6), ("2013", 4)]:
        counts = {"n_auxiliary": 9, "n_focal": 8, "n_linked": n_linked}
        (folder / f"{release}.json").write_text(json.dumps(counts))
    analysis = Collective(
        "pupils", "census", "2014", ("AGE",), (), "all", ("2015", "2013")
    )
    assert linked_persons(tmp_path, analysis) == [
        {"auxiliary": "2015", "n_focal": 8, "n_linked": 6},
        {"auxiliary": "2013", "n_focal": 8, "n_linked": 4},
    ]
