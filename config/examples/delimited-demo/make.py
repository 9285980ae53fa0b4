"""Makes the four folders beside it, of a CSV each, and a table that counts people.

They are of a town that does not exist.

    python config/examples/delimited-demo/make.py [FOLDER]

Every row is made up, and the same at every call. The note beside each file says so,
by the name that microleak looks for.
"""

import csv
import sys
from collections import Counter
from pathlib import Path
from random import Random

SEED = 2021
N_PERSONS = 600
N_SAMPLED = 80

FIXED = ("person", "sex", "birth_year", "birth_month")
CENSUS = ("row", *FIXED, "district", "income", "illness")
SURVEY = (*FIXED, "district", "smokes")
MADE = ("sex", "birth_year", "birth_month", "district", "illness")
NOTE = "LEIA-ME-SINTETICO.txt"

DISTRICTS = ("Centre", "Harbour", "Hill", "Mill", "North", "Station")
INCOMES = ("low", "low", "medium", "medium", "medium", "high", "NA")
ILLNESSES = ("none",) * 12 + ("asthma", "asthma", "diabetes", "HIV")


def person(number, draw):
    """Return what stays of a person: the key, and what is known of the birth."""
    born = {
        "sex": one_of("FM", draw),
        "birth_year": 1940 + int(80 * draw.random()),
        "birth_month": 1 + int(12 * draw.random()) if draw.random() < 0.97 else "NA",
    }
    return {"person": f"P{number:04}", **born}


def lived(someone, draw):
    """Return what may differ from year to year."""
    place = {"district": one_of(DISTRICTS[: 2 + someone["birth_year"] % 5], draw)}
    kept = {"income": one_of(INCOMES, draw), "illness": one_of(ILLNESSES, draw)}
    return {**someone, **place, **kept}


def next_year(row, draw):
    """Return a person's row of a year later: one in six has moved or fallen ill."""
    changed = lived({name: row[name] for name in FIXED}, draw)
    return changed if draw.random() < 1 / 6 else dict(row)


def with_second_rows(rows, draw):
    """Give one in twelve a second row, of another district; number all rows."""
    both = [
        copy
        for row in rows
        for copy in (
            [row]
            if draw.random() > 1 / 12
            else [row, {**row, "district": one_of(DISTRICTS, draw)}]
        )
    ]
    return [{"row": number, **row} for number, row in enumerate(both, 1)]


def one_of(values, draw):
    """Draw a value; `random()` alone gives the same in every version of Python."""
    return values[int(len(values) * draw.random())]


def write(folder, columns, rows):
    """Write a folder of a CSV with a semicolon between columns, and the note."""
    folder.mkdir(exist_ok=True)
    (folder / NOTE).write_text("SYNTHETIC / SINTETICO: no row is about anybody.\n")
    with (folder / f"{folder.name}.csv").open(
        "w", encoding="utf-8", newline=""
    ) as file:
        table = csv.DictWriter(
            file, columns, delimiter=";", lineterminator="\n", extrasaction="ignore"
        )
        table.writeheader()
        table.writerows(rows)


def write_counts(path, rows):
    """Write how many people live in each district, by sex, as an office prints it."""
    counts = Counter((row["district"], row["sex"]) for row in rows)
    lines = [f"{district},{sex},{n}" for (district, sex), n in sorted(counts.items())]
    path.write_text("\n".join(["district,sex,count", *lines, ""]), encoding="utf-8")


def as_arx_writes(row, draw):
    """Return a person's row as a program protects it that is not microleak."""
    first = row["birth_year"] // 10 * 10
    changed = {"birth_year": f"[{first}, {first + 10}["}
    if draw.random() < 1 / 10:
        changed["birth_month"] = "*"
    if row["district"] in {"North", "Station"}:
        changed["district"] = "{North, Station}"
    return {**row, **changed}


def main(folder):
    """Write two censuses of the town, a survey of the second year, and a file of it."""
    draw = Random(SEED)
    people = [person(number, draw) for number in range(1, N_PERSONS + 1)]
    first = [lived(someone, draw) for someone in people[:-60]]
    stayed = [next_year(row, draw) for row in first if draw.random() < 0.95]
    second = stayed + [lived(someone, draw) for someone in people[-60:]]
    sampled = sorted(second, key=lambda row: draw.random())[:N_SAMPLED]
    answers = [{**row, "smokes": one_of(("yes", "no", "no"), draw)} for row in sampled]
    write(folder / "town-2022", CENSUS, with_second_rows(first, draw))
    write(folder / "town-2023", CENSUS, with_second_rows(second, draw))
    write(folder / "survey-2023", SURVEY, answers)
    write_counts(folder / "people-2023.csv", second)
    made = [as_arx_writes(row, draw) for row in second]
    write(folder / "town-made", MADE, sorted(made, key=lambda row: draw.random()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent)
