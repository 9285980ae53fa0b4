import json

from microleak.study.disclosure import LINKED
from microleak.study.model import Collective
from microleak.study.pages import linked_persons


def test_linked_persons_are_counted_as_the_receipts_of_the_panels_do(tmp_path):
    folder = tmp_path / "panels/census/2014"
    folder.mkdir(parents=True)
    for release, n_linked in [("2015", 6), ("2013", 4)]:
        counts = {"n_auxiliary": 9, "n_focal": 8, "n_linked": n_linked}
        (folder / f"{release}.json").write_text(json.dumps(counts))
    analysis = Collective(
        "pupils", "census", "2014", ("AGE",), (), "all", ("2015", "2013")
    )
    found = linked_persons(tmp_path, analysis)
    assert list(found.columns) == [*LINKED]
    assert found.to_numpy().tolist() == [["2015", 8, 6, 0.75], ["2013", 8, 4, 0.5]]
