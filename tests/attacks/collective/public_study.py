"""What is published of a made-up town."""

import pandas as pd

from microleak.report.contents import Tables
from microleak.report.public import public_page
from microleak.report.texts import voice
from microleak.study.published import public_families
from microleak.study.tables import tables as specs

PUBLIC_RELEASES = tuple(specs()["releases"].names)

_PANEL = ("pupils", "census", "2018", "2019|2020")
RELEASES = pd.DataFrame(
    [("census", "2018", None, "true"), ("survey", "2018", None, "false")],
    columns=[*PUBLIC_RELEASES],
).astype({"n_records": "Int64"})
LINE_TABLES = frozenset({"survey"})

_COUNTED = (*_PANEL, "AGE|TP_SEXO", 2)
TABLES = Tables(
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
        "releases": RELEASES,
        "privacy_losses": pd.DataFrame(
            [("town-2017", "1"), ("town", "1/2")], columns=["publication", "epsilon"]
        ),
    },
)


def page_of(tables=TABLES, languages=("pt", "en"), sources=None):
    voices = [voice(language, sources) for language in languages]
    return public_page("town", tables, LINE_TABLES, voices, public_families())
