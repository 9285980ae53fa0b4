"""What is published of a made-up town."""

import pandas as pd

from microleak.report.contents import Tables
from microleak.report.public import public_page
from microleak.report.texts import voice
from microleak.study.published import public_families
from microleak.study.tables import tables as specs

PUBLIC_BLOCKS = tuple(specs()["blocks"].names)
PUBLIC_INFERENCE = tuple(specs()["inference"].names)
PUBLIC_RELEASES = tuple(specs()["releases"].names)

_PANEL = ("pupils", "census", "2018", "2019|2020")
RELEASES = pd.DataFrame(
    [("census", "2018", 5_000, "true"), ("survey", "2018", None, "false")],
    columns=[*PUBLIC_RELEASES],
).astype({"n_records": "Int64"})
ANALYSES = {
    "blocks": {
        "pupils": pd.DataFrame(
            [
                (*_PANEL, "AGE", 1, "true", 2, 0, 0, 0, 4, 96),
                (*_PANEL, "AGE|TP_SEXO", 2, "true", 2, 62, 30, 4, 4, 0),
            ],
            columns=[*PUBLIC_BLOCKS],
        ),
        "asked": pd.DataFrame(columns=[*PUBLIC_BLOCKS]),
    },
    "inference": {
        "pupils": pd.DataFrame(
            [(*_PANEL, "ILL", "AGE", 1, "true", 2, 80, 100)],
            columns=[*PUBLIC_INFERENCE],
        ),
        "asked": pd.DataFrame(columns=[*PUBLIC_INFERENCE]),
    },
}
TABLES = Tables(ANALYSES, {"releases": RELEASES})
LINE_TABLES = frozenset({"survey"})

_COUNTED = (*_PANEL, "AGE|TP_SEXO", 2)
NOISY = Tables(
    {
        "noisy_counts": {
            "pupils": pd.DataFrame(
                [
                    (*_COUNTED, "", "records", 5_003, 24, "1/8"),
                    (*_COUNTED, "", "alone", -3, 24, "1/8"),
                    (*_COUNTED, "ILL", "most_frequent", 3_999, 24, "1/8"),
                    (*_COUNTED, "ILL", "right_guesses", 4_990, 24, "1/8"),
                ],
                columns=specs()["noisy_counts"].names,
            )
        }
    },
    {
        "releases": RELEASES.assign(n_records=pd.NA),
        "privacy_losses": pd.DataFrame(
            [("town-2017", "1"), ("town", "1/2")], columns=["publication", "epsilon"]
        ),
    },
)
"""What is published of it with noise."""


def page_of(tables=TABLES, languages=("pt", "en"), sources=None):
    voices = [voice(language, sources) for language in languages]
    return public_page("town", tables, LINE_TABLES, voices, public_families())
