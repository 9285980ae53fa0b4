"""What is published of a made-up town."""

import pandas as pd

from microleak.report.contents import Tables
from microleak.report.public import public_page
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs

PUBLIC_RELEASES = tuple(specs()["releases"].names)

_PANEL = ("pupils", "census", "2018", "2019|2020")
RELEASES = pd.DataFrame(
    [("census", "2018", None, "true"), ("survey", "2018", None, "false")],
    columns=[*PUBLIC_RELEASES],
).astype({"n_records": "Int64"})
LINE_TABLES = frozenset({"survey"})

_WHOLE, _KNOWN = (*_PANEL, "", 0), (*_PANEL, "AGE|TP_SEXO", 2)
_REST = 24, "1/8"
TABLES = Tables(
    {
        "noisy_counts": {
            "pupils": pd.DataFrame(
                [
                    (*_WHOLE, "", "records", "", "", 5_003, *_REST),
                    (*_WHOLE, "ILL", "most_frequent", "", "", 3_999, *_REST),
                    (*_KNOWN, "", "unique", "", "", -3, *_REST),
                    (*_KNOWN, "ILL", "right_guesses", "", "", 4_990, *_REST),
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
    return public_page("town", tables, LINE_TABLES, voices)
