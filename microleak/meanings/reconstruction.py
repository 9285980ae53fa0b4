"""The type and meaning of the columns of the tables of reconstruction, said once."""

from microleak.meanings.measures import Column

_TEXTS = {
    "attack": "How the database is rebuilt.",
    "database": "Where its entries come from: random and the chance of a 1, or the "
    "release, attribute and value of the persons drawn.",
    "queries": "How many queries are asked, as the study file says.",
    "error": "How far an answer may be from the exact one, as the study file says.",
    "noise": "Law of the noise.",
    "epsilon": "How little truncated geometric noise there is, as the study file says; "
    "empty for other noise.",
    "status": "solved; infeasible if no database could have given the answers; or not "
    "solved, if time ran out.",
}
_CLAIMS = {
    "is_exact": "Whether all entries are claimed, and right.",
    "is_consistent": "Whether the database claimed could have given every answer; "
    "empty if not all entries are claimed.",
    "is_proven": "Whether no other database could have, if the bound is right.",
}
_COUNTS = {
    "n_entries": "Entries of the database.",
    "n_ones": "Entries that are 1.",
    "n_queries": "Queries asked.",
    "repeat": "Which database of this setting, from 1 up.",
    "seed": "Seed of the database, the queries and the noise.",
    "limit_s": "Seconds that the attack may take.",
    "n_claimed": "Entries of which the attack says what they are.",
    "n_right": "Entries of which it says so rightly.",
    "n_violated": "Answers that the database claimed contradicts; empty if not all "
    "entries are claimed.",
    "n_candidates": "Databases that could have given the answers; empty if they were "
    "not all tried.",
    "diameter": "Most entries in which two of these differ.",
    "n_steps": "Steps from 0 to 1 of the grid of points.",
    "n_points": "Random points of the grid.",
    "n_bad": "Points with too many entries farther than 1/3 from the database.",
    "n_feasible": "Points that every answer allows.",
    "n_bad_feasible": "Points that are both.",
}
_NUMBERS = {
    "prior": "Share of entries right by guessing the more frequent bit for all.",
    "error_bound": "How far an answer may be from the exact one.",
    "assumed_bound": "How far the attack takes an answer to be from the exact one.",
    "outliers": "Share of the answers that are any number.",
    "share_right": "n_right divided by n_entries.",
    "distance": "Share of entries that may be farther than 1/3 in a point not bad.",
    "share_bad": "n_bad divided by n_points.",
    "share_bad_grid": "Share of all points of the grid that are bad, exactly.",
    "share_bad_feasible": "n_bad_feasible divided by n_points.",
}

RECONSTRUCTION_COLUMNS = {
    name: Column(datatype, meaning)
    for datatype, meanings in (
        ("string", _TEXTS),
        ("boolean", _CLAIMS),
        ("integer", _COUNTS),
        ("number", _NUMBERS),
    )
    for name, meaning in meanings.items()
}
"""Columns that only tables of reconstruction have, or with a meaning of their own."""
