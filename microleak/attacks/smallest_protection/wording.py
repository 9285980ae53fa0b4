"""How targets, changes and what they lose are told in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import yaml

from microleak.figures.numbers import Numbers
from microleak.report.texts import Voice
from microleak.tables import rows as tables

LEFT_OUT = "left out"
"""The last level of each QID, where others have their names as in the table."""

_MOST_QIDS = 12
"""QIDs up to which all subsets are attacked in the release that is changed."""


def target_text(row: pd.Series, voice: Voice) -> str:
    """Write the bounds of a target, and by how many QIDs they hold."""
    said = voice.listing(
        voice.say(f"smallest_protection.target_{name}", value=_bound(value, voice))
        for name, value in bounds_of(row).items()
    )
    if not is_of_some(row):
        return said
    return voice.say("smallest_protection.target_any", row, target=said)


def bounds_of(row: Mapping[str, Any] | pd.Series) -> dict[str, str]:
    """Return the bounds of a target by name, shares as fractions."""
    return dict(bound.split(":") for bound in row["target"].split("|"))


def is_of_some(row: pd.Series) -> bool:
    """Whether the adversary knows some of the QIDs only, whichever."""
    return int(row["n_known"]) < len(tables.qids_of(row))


def _bound(value: str, voice: Voice) -> str:
    """Write a whole number, or a share from its fraction, as a study file gives it."""
    numerator, _, denominator = value.partition("/")
    if not denominator:
        return voice.numbers.count(int(value))
    percent = 100 * int(numerator) / int(denominator)
    if percent == int(percent):
        return f"{voice.numbers.count(percent)}%"
    return voice.numbers.share(int(numerator) / int(denominator))


def change_text(row: pd.Series, voice: Voice) -> str:
    """Write which QIDs are left out, and how others are told more coarsely."""
    said = []
    if left_out := [name for name in row["left_out"].split("|") if name]:
        said.append(voice.say("smallest_protection.left_out", names=left_out))
    for each in filter(None, row["levels"].split("|")):
        name, _, level = each.rpartition(":")
        said.append(level_text(name, level, voice))
    return voice.listing(said) if said else ""


def section_text(
    name: str,
    row: pd.Series,
    levels: Mapping[str, Sequence[str]],
    sensitive: Sequence[str],
) -> str:
    """Write what a study file has to have so that a release is changed like this."""
    # An analysis of that release measures what the promise comes to, if any QID is
    # left.
    steps: list[Any] = []
    if row["levels"]:
        each = [told.rpartition(":") for told in row["levels"].split("|")]
        places = {qid: levels[qid].index(level) for qid, _, level in each}
        steps.append({"generalise": places})
    if row["left_out"]:
        steps.append({"drop": row["left_out"].split("|")})
    changed = {qid for step in steps for each in step.values() for qid in each}
    kept = [each for each in (*levels, *sensitive) if each not in changed]
    protection = {"table": row["table"], "release": row["focal"], "steps": steps}
    protection |= {"attributes": kept} if kept else {}
    section: dict[str, Any] = {"protections": {name: protection}}
    left = [qid for qid in levels if qid not in row["left_out"].split("|")]
    if left:
        analysis: dict[str, Any] = {"name": f"{row['analysis']}-after"}
        analysis |= {"table": row["table"], "focal": name, "qids": left}
        analysis |= {"sensitive": [*sensitive]} if sensitive else {}
        analysis |= {"subsets": "full"} if len(left) > _MOST_QIDS else {}
        section["analyses"] = {"collective": [analysis]}
    said: str = yaml.safe_dump(section, sort_keys=False, allow_unicode=True, width=80)
    return said


def level_text(name: str, level: str, voice: Voice) -> str:
    """Write how coarsely a QID is told."""
    if level == LEFT_OUT:
        return voice.say("smallest_protection.left_out", names=[name])
    kind, _, n = level.partition(" ")
    key = f"told_{kind}{'_one' if level == 'prefix 1' else ''}"
    return voice.say(f"smallest_protection.{key}", name=voice.quoted([name]), n=n)


def kind_of_loss(row: pd.Series) -> str:
    """Return what is lost, without what it is of."""
    return str(row["loss_of"].partition(":")[0])


def loss_text(kind: str, loss: float, numbers: Numbers) -> str:
    """Write a loss: a share, or standard deviations."""
    return numbers.ratio(loss) if kind == "regression" else numbers.share(loss)


def lost_text(
    row: pd.Series, say: Callable[..., str], prefix: str, numbers: Numbers
) -> str:
    """Write what a change loses, after its subject."""
    kind, _, of = row["loss_of"].partition(":")
    lost = loss_text(kind, float(row["loss"]), numbers)
    return say(f"{prefix}_{kind}", loss=lost, of=", ".join(of.split("|")))


def said_lost(row: pd.Series, voice: Voice) -> str:
    """Write what a change loses, as a part of the page does."""
    return lost_text(row, voice.say, "smallest_protection.lost", voice.numbers)
