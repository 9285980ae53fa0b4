"""Tables of what tables of counts prove, made from numbers that can be seen here."""

from microleak.study.tables import result_tables as specs
from microleak.tables.rows import as_table


def region(name, n_records, n_proved, n_databases):
    """One row, of a region with 12 cells and four tables."""
    found = {
        **{"right": n_records * 9 // 10, "right_guessed": n_records // 5},
        **{"reidentified": n_records // 2, "reidentified_guessed": n_records // 10},
        "reidentified_proved": n_proved // 2,
    }
    return {
        **{"analysis": "tract", "table": "census", "focal": "2018", "region": name},
        **{"crossings": "AGE, SEX|SEX, RACE", "method": "none", "parameters": ""},
        **{"known": "AGE|SEX", "n_tables": 4, "n_cells": 12, "n_cells_proved": 10},
        **{"n_cells_exact": 12, "n_records": n_records, "n_records_proved": n_proved},
        **{f"n_{kind}": n for kind, n in found.items()},
        **{"n_differenced": None, "n_cells_wrong": 0, "chance": 1},
        "share_proved": n_proved / n_records,
        **{f"share_{kind}": n / n_records for kind, n in found.items()},
        "n_databases": n_databases,
        "is_all": "true" if n_databases < 1000 else "false",
    }


def size(name, n_regions, n_records, n_proved):
    shown, names = region("", n_records, n_proved, 1), specs()["rebuilt_sizes"].names
    sums = {each: shown[each] for each in names if each in shown}
    return sums | {"size": name, "n_regions": n_regions}


def cell(name, least, largest, *tables):
    return {
        **{"analysis": "tract", "region": "North", "cell": name, "is_exact": "true"},
        **{"least": least, "largest": largest},
        **{"n_needed": len(tables) or None, "tables": "|".join(tables)},
    }


REGIONS = as_table(
    specs()["table_rebuilding"],
    [
        region("North", 20, 18, 3),
        region("South", 30, 30, 1),
        region("West", 50, 5, 1000),
    ],
)
"""What is proved of each region."""

REBUILT = as_table(
    specs()["rebuilt_cells"],
    [
        cell("AGE=25|SEX=F", 1, 1, "by-age.csv", "by-sex.csv"),
        cell("AGE=26|SEX=F", 4, 4, "by-sex.csv"),
        cell("AGE=26|SEX=M", 0, 2),
        cell("AGE=27|SEX=M", 0, 0, "by-age.csv", "by-sex.csv"),
    ],
)
"""Cells that no published count says to be empty."""

SIZES_OF_REGIONS = as_table(
    specs()["rebuilt_sizes"], [size("0-49", 2, 50, 48), size("50-", 1, 50, 5)]
)
"""What is proved of the regions of each size."""

EXAMPLES = {
    "tract": {
        "table_rebuilding": REGIONS,
        "rebuilt_cells": REBUILT,
        "rebuilt_sizes": SIZES_OF_REGIONS,
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""
