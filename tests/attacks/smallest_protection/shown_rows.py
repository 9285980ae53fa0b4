"""Tables of a search, made from numbers that can be seen here."""

import pandas as pd

from microleak.study.tables import result_tables as specs

OF_SEARCH = {
    **{"analysis": "smallest", "table": "census", "focal": "2018"},
    **{"qids": "SEX|AGE", "n_qids": 2},
}


def node(left_out, levels, loss, n_alone, smallest, **roles):
    """The rows of one node of 200 people, by re-identification and by an illness."""
    changed = [*filter(None, [*left_out.split("|"), *levels.split("|")])]
    is_answer, is_on = (roles.get(each, False) for each in ("is_answer", "on_frontier"))
    row = {
        **OF_SEARCH,
        **{"target": "k:3|certain:1/20", "n_known": 2},
        **{"left_out": left_out, "levels": levels, "n_changed": len(changed)},
        **{"loss": loss, "loss_of": "information", "information": loss},
        **dict.fromkeys(("holds", "is_answer"), str(is_answer).lower()),
        **{"on_frontier": str(is_on).lower(), "n_records": 200, "n_blocks": 40},
        **{"smallest_block": smallest, "n_alone": n_alone},
        "largest_success": 1 / smallest,
    }
    yield row | {"sensitive": "", "n_certain": n_alone, "posterior_prob": 0.2}
    ill = {"sensitive": "ILL", "n_certain": 8, "posterior_prob": 0.6}
    yield row | ill | {"least_distinct": 1}


NODES = pd.DataFrame(
    [
        *node("", "", 0.0, 60, 1, on_frontier=True),
        *node("SEX", "", 0.2, 40, 1, on_frontier=True),
        *node("", "AGE:width 5", 0.3, 20, 1, on_frontier=True),
        *node("SEX", "AGE:width 5", 0.5, 0, 4, on_frontier=True, is_answer=True),
        *node("AGE", "", 0.8, 2, 1),
        *node("SEX|AGE", "", 1.0, 0, 200),
    ],
    columns=specs()["smallest_protection"].names,
)
REASONS = (("held", 1), ("coarser", 1), ("failed", 2), ("finer", 2))
CUTS = pd.DataFrame(
    [{**OF_SEARCH, "reason": reason, "n_nodes": n} for reason, n in REASONS],
    columns=specs()["cuts"].names,
)
WITNESSES = pd.DataFrame(columns=specs()["witnesses"].names)
_NUMBERS = {
    ("", ""): 0,
    ("", "AGE:width 5"): 1,
    ("AGE", ""): 2,
    ("SEX", ""): 3,
    ("SEX", "AGE:width 5"): 4,
    ("SEX|AGE", ""): 5,
}
LATTICE = NODES.assign(
    node=[
        _NUMBERS[each] for each in zip(NODES["left_out"], NODES["levels"], strict=True)
    ]
)[specs()["lattice"].names].sort_values("node", kind="stable")
_TOLD = {"failure_prob": 0.25, "n_certain_after": 12, "posterior_prob_after": 0.65}
MINIMALITY = pd.DataFrame(
    [
        {
            **OF_SEARCH,
            **{"left_out": left_out, "levels": levels, "n_changed": 1},
            **{"sensitive": "ILL", "n_records": 200},
            **{"is_measured": str(bool(after)).lower()},
            **{"not_measured": "" if after else "size"},
            **{"n_certain": 8, "posterior_prob": 0.6, **after},
        }
        for left_out, levels, after in (
            ("SEX", "", _TOLD | {"n_moved": 30}),
            ("", "AGE:width 5", {}),
        )
    ],
    columns=specs()["minimality"].names,
).astype({"n_certain_after": "Int64", "n_moved": "Int64"})
EXPOSED = pd.DataFrame(
    [
        {
            **OF_SEARCH,
            **{"left_out": left_out, "levels": levels, "sensitive": "ILL"},
            "n_changed": len([*filter(None, [left_out, levels])]),
            **{"is_answer": str(bool(left_out)).lower(), "value": value},
            "is_missing": str(not value).lower(),
            **{"n_members": n_members, "n_certain": n_certain},
        }
        for left_out, levels, of_values in (
            ("", "", [("", 1, 1), ("flu", 40, 12), ("cold", 30, 20)]),
            ("SEX", "AGE:width 5", [("", 1, 0), ("flu", 40, 0), ("cold", 30, 4)]),
        )
        for value, n_members, n_certain in of_values
    ],
    columns=specs()["exposed"].names,
)

EXAMPLES = {
    "smallest": {
        "smallest_protection": NODES,
        "witnesses": WITNESSES,
        "lattice": LATTICE,
        "cuts": CUTS,
        "minimality": MINIMALITY,
        "exposed": EXPOSED,
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
