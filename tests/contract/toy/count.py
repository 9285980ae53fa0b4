"""Count the values."""

import pyarrow.parquet as pq

from microleak.tables.spec import tables_of

TABLE = tables_of("microleak.attacks.toy")["toy"]


def count(people, name, attribute):
    """Return how many values an attribute of the people has."""
    values = pq.read_table(people, columns=[attribute])[attribute].unique()
    return TABLE.frame([{"analysis": name, "n_values": len(values)}])
