"""Who is alone by one attribute, counted by hand and as a study would."""

import pandas as pd

import microleak
from microleak.study.tables import result_tables
from microleak.tables.rows import as_table

EXAMPLES = {
    "born": {
        "unit_risks": as_table(
            result_tables()["unit_risks"],
            [
                {
                    **{"analysis": "born", "table": "town", "focal": "2023"},
                    **{"qids": "BIRTH", "n_records": 4, "n_values": 3},
                    "share_alone": 0.5,
                }
            ],
        )
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""


def test_who_is_alone_is_counted():
    people = pd.DataFrame({"age": [25, 25, None, 60]})
    found = microleak.unit_risks(people, "age")
    assert found.unit_risks[["n_values", "share_alone"]].values.tolist() == [[3, 0.5]]
    assert "alone by age" in found.figure().svg
    same = microleak.analyse("unit_risks", people, attribute="age")
    assert same.unit_risks.equals(found.unit_risks)
