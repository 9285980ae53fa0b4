"""Links by Splink: its EM without labels, pairs above one half.

As its documentation has it for two data sets: blocks by what is stable, the share of
pairs that are links by those that agree in everything, u by random pairs, m by EM in
the blocks, frequencies of values for the drifting attributes.
"""

from typing import Any

import duckdb

from benchmarks.linked_releases import DRIFTING, IDENTIFIER, STABLE

MOST_PAIRS_FOR_U = 1e7
HALF = 0.5
RECALL = 0.75
"""Share of the persons in both releases who agree in everything, which it is told."""


def links(focal: str, auxiliary: str, n_threads: int) -> dict[str, Any]:
    """Return how many links are called, and how many of them are right."""
    import splink.comparison_library as compare  # noqa: PLC0415
    from splink import (  # noqa: PLC0415
        DuckDBAPI,
        Linker,
        SettingsCreator,
        block_on,
    )

    connection = duckdb.connect()
    connection.execute(f"SET threads = {n_threads}")
    columns = ", ".join(f"{name}::VARCHAR AS {name}" for name in (*STABLE, *DRIFTING))
    api = DuckDBAPI(connection)
    names = []
    for name, path in (("focal", focal), ("auxiliary", auxiliary)):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT {IDENTIFIER}::VARCHAR AS unique_id, "
            f"{columns} FROM '{path}'"
        )
        names.append(api.register(name, dataset_display_name=f"{name}_release"))
    same = block_on(*STABLE)
    settings = SettingsCreator(
        link_type="link_only",
        blocking_rules_to_generate_predictions=[same],
        comparisons=[
            *(compare.ExactMatch(name) for name in STABLE),
            *(
                compare.ExactMatch(name).configure(term_frequency_adjustments=True)
                for name in DRIFTING
            ),
        ],
        retain_matching_columns=False,
    )
    linker = Linker(names, settings)
    training = linker.training
    every = block_on(*STABLE, *DRIFTING)
    training.estimate_probability_two_random_records_match([every], recall=RECALL)
    training.estimate_u_using_random_sampling(max_pairs=MOST_PAIRS_FOR_U, seed=1)
    training.estimate_parameters_using_expectation_maximisation(same)
    others = block_on(*DRIFTING, STABLE[0])
    training.estimate_parameters_using_expectation_maximisation(others)
    found = linker.inference.predict(threshold_match_probability=HALF)
    ((n_links, n_right),) = connection.sql(
        "SELECT count(*), sum((unique_id_l = unique_id_r)::INT) "
        f"FROM {found.physical_name}"
    ).fetchall()
    return {"n_links": int(n_links), "n_right": int(n_right or 0)}
