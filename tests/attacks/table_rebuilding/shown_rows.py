"""Tables of what tables of counts prove, made from numbers that can be seen here."""

from microleak.study.tables import tables as specs


def region(name, n_records, n_proved, n_databases):
    """One row, of a region with 12 cells and four tables."""
    return {
        "analysis": "tract",
        "table": "census",
        "focal": "2018",
        "region": name,
        "n_tables": 4,
        "n_cells": 12,
        "n_cells_proved": 10,
        "n_cells_exact": 12,
        "n_records": n_records,
        "n_records_proved": n_proved,
        "share_proved": n_proved / n_records,
        "share_right": 0.9,
        "n_databases": n_databases,
        "is_all": "true" if n_databases < 1000 else "false",
    }


def cell(name, least, largest, *tables):
    """One row."""
    return {
        "analysis": "tract",
        "region": "North",
        "cell": name,
        "least": least,
        "largest": largest,
        "is_exact": "true",
        "n_needed": len(tables) or None,
        "tables": "|".join(tables),
    }


REGIONS = specs()["table_rebuilding"].frame(
    [
        region("North", 20, 18, 3),
        region("South", 30, 30, 1),
        region("West", 50, 5, 1000),
    ]
)
"""What is proved of each region."""

REBUILT = specs()["rebuilt_cells"].frame(
    [
        cell("AGE=25|SEX=F", 1, 1, "by-age.csv", "by-sex.csv"),
        cell("AGE=26|SEX=F", 4, 4, "by-sex.csv"),
        cell("AGE=26|SEX=M", 0, 2),
    ]
)
"""Cells that may have records."""
