"""The page of a public report, from what is published and nothing else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from babel.numbers import get_decimal_symbol
from markupsafe import Markup

from microleak.base.files import write_text
from microleak.base.xml_text import xml_text
from microleak.definitions.laplace import even_chance, written
from microleak.definitions.vectors import OTHERS, SIZES, Statistic
from microleak.figures.numbers import LOCALES
from microleak.report.contents import Tables, is_synthetic, synthetic_banner
from microleak.report.page import INDEX, STYLE, TEMPLATES, template, write_data
from microleak.report.texts import Voice

COUNTS = "noisy_counts"
"""The table of counts of each analysis."""

_ONE_FOR_ALL = "table", "focal", "auxiliary"

VectorKey = tuple[str, str, str, Statistic]
"""QIDs, sensitive attribute, what groups are by, and statistic: of one vector."""


def vectors_of(counts: pd.DataFrame) -> Iterator[tuple[VectorKey, pd.DataFrame]]:
    """Yield the vectors of a table of counts, rows that lie together, in its order."""
    names = ["qids", "sensitive", "by", "statistic"]
    keys = [*zip(*(counts[name].fillna("") for name in names), strict=True)]
    place = 0
    for key, each in groupby(keys):
        n_rows = len([*each])
        yield key, counts.iloc[place : place + n_rows]
        place += n_rows


def faults_of(counts: pd.DataFrame) -> Iterator[str]:
    """Yield where counts are not those of whole vectors, each once and in order."""
    # A column that no rule binds, or an order of rows that does not follow from them,
    # could hold a count.
    for column in _ONE_FOR_ALL:
        if counts[column].astype(str).nunique() > 1:
            said = _("{column} is not the same in all lines")
            yield said.format(column=column)
    names = (
        counts["qids"].fillna("").map(lambda joined: [*filter(None, joined.split("|"))])
    )
    n_qids = [len(each) if len(each) == len({*each}) else -1 for each in names]
    if n_qids != counts["n_qids"].tolist():
        yield _("n_qids is not the number of the QIDs, each named once")
    found = [*vectors_of(counts)]
    keys = [key for key, _ in found]
    if keys != _wanted(keys):
        yield _("counts are not those that a page has, each once and in order")
    for (*_key, statistic), rows in found:
        groups = [*rows["group"].fillna("")]
        if statistic == "unique_by_group":
            is_right = len({*groups}) == len(groups) > 1 and groups[-1] == OTHERS
        else:
            is_right = groups == [*(SIZES if statistic == "block_sizes" else [""])]
        if not is_right:
            said = _("{kind} has not its groups, each once and in order")
            yield said.format(kind=statistic)
        if rows["epsilon"].nunique() > 1:
            said = _("{kind} has more than one epsilon")
            yield said.format(kind=statistic)


def _wanted(found: list[VectorKey]) -> list[VectorKey]:
    """Return which vectors there must be, in order, where these are some of them."""
    sets = [*dict.fromkeys(key[0] for key in found if key[0])]
    if groups := dict.fromkeys(key[2] for key in found if key[2]):
        return [(qids, "", by, "unique_by_group") for qids in sets for by in groups]
    sensitive = [*dict.fromkeys(key[1] for key in found if key[1])]
    kinds = {key[3] for key in found}
    blocks: Statistic = "unique" if "unique" in kinds else "block_sizes"
    frequent: Statistic = "most_frequent"
    right: Statistic = "right_guesses"
    return [
        ("", "", "", "records"),
        *(("", name, "", frequent) for name in sensitive),
        *(
            key
            for qids in sets
            for key in (
                (qids, "", "", blocks),
                *((qids, name, "", right) for name in sensitive),
            )
        ),
    ]


def shown_counts(
    counts: pd.DataFrame, voice: Voice
) -> Iterator[tuple[str, list[tuple[str, int, int]]]]:
    """Yield a caption by what is known, and what is counted with count and range."""
    for (qids, by), rows in counts.fillna("").groupby(["qids", "by"], sort=False):
        known = voice.say("public.known", qids=voice.known(qids.split("|")))
        caption = known if qids else voice.say("public.of_all")
        if by:
            grouped = voice.say("public.grouped", by=voice.explained(by))
            caption = f"{caption} {grouped}"
        records = rows.to_dict("records")
        counts = [(int(row["n_noisy"]), int(row["range_95"])) for row in records]
        said = [_counted(row, voice) for row in records]
        yield caption, [(text, *n) for text, n in zip(said, counts, strict=True)]


def _counted(row: Mapping[str, Any], voice: Voice) -> str:
    texts, statistic, group = voice.texts["public"], row["statistic"], row["group"]
    if statistic == "block_sizes":
        return str(texts["sizes"][group])
    if statistic == "unique_by_group":
        return group or str(texts["others"])
    return voice.say(f"public.{statistic}", sensitive=voice.explained(row["sensitive"]))


def epsilon_of(epsilon: str | Fraction, voice: Voice) -> str:
    """Write an epsilon as a language writes numbers."""
    mark = get_decimal_symbol(LOCALES[voice.language])
    return written(Fraction(epsilon)).replace(".", mark)


def write_public_report(
    folder: Path,
    study: str,
    published: Tables,
    line_tables: Iterable[str],
    voices: Sequence[Voice],
) -> None:
    """Write the page and its tables; `data/metadata.json` says that they are public."""
    page = public_page(study, published, line_tables, voices)
    write_text(folder / INDEX, page)
    is_made_up = is_synthetic(published.whole("releases"))
    write_data(folder, study, "public", published.files(), is_made_up)


def public_page(
    study: str, published: Tables, line_tables: Iterable[str], voices: Sequence[Voice]
) -> str:
    """Return the page, in each language, as HTML that needs no network or script."""
    releases = published.whole("releases")
    losses = published.whole("privacy_losses").to_dict("records")
    total = sum((Fraction(row["epsilon"]) for row in losses), Fraction())
    page: str = template(TEMPLATES, "public.html.j2").render(
        study=study,
        tables=published,
        releases=releases.to_dict("records"),
        losses=losses,
        total=total,
        even=even_chance(2 * total),
        epsilon_of=epsilon_of,
        shown_counts=shown_counts,
        line_tables=line_tables,
        voices=voices,
        banner=synthetic_banner(releases),
        style=Markup(STYLE.read_text("utf-8")),
    )
    return xml_text(page)
