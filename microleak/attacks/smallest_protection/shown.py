"""The tables of one search, as its part of the page tells them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
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
        voice.say(
            f"smallest_protection.target_{name}", value=bound_text(value, voice.numbers)
        )
        for name, value in bounds_of(row).items()
    )
    if not is_of_some(row):
        return said
    return voice.say("smallest_protection.target_any", row, target=said)


def bounds_of(row: Mapping[str, Any] | pd.Series) -> dict[str, str]:
    """Return the bounds of a target by name, shares as fractions."""
    return dict(bound.split(":") for bound in row["target"].split("|"))


OF_NODE = {
    "k": ("largest_success", False),
    "alone": ("n_alone", True),
    "reidentified": ("posterior_prob", False),
}
OF_SENSITIVE = {
    "certain": ("n_certain", True),
    "inferred": ("posterior_prob", False),
    "l": ("least_distinct", False),
    "own_record": ("own_record", False),
}
"""Column of what a bound limits, and whether it counts records."""


def limit_of(row: pd.Series, name: str) -> Fraction:
    """Return what a bounded share is at most; of k and l one over it."""
    bound = Fraction(bounds_of(row)[name])
    return 1 / bound if name in ("k", "l") else bound


def is_of_some(row: pd.Series) -> bool:
    """Whether the adversary knows some of the QIDs only, whichever."""
    return int(row["n_known"]) < len(tables.qids_of(row))


def bound_text(value: str, numbers: Numbers) -> str:
    """Write a whole number, or a share from its fraction, as a study file gives it."""
    bound = Fraction(value)
    if "/" not in value:
        return numbers.count(int(bound))
    if (percent := 100 * bound).denominator == 1:
        return f"{numbers.count(int(percent))}%"
    return numbers.share(float(bound))


def change_text(row: pd.Series, voice: Voice) -> str:
    """Write which QIDs are left out, and how others are told more coarsely."""
    said = [level_text(*each, voice) for each in levels_of(row).items()]
    if left_out := left_out_of(row):
        said.insert(0, voice.say("smallest_protection.left_out", names=left_out))
    return voice.listing(said)


def left_out_of(row: pd.Series) -> list[str]:
    """Return the QIDs that a node leaves out."""
    return [name for name in row["left_out"].split("|") if name]


def levels_of(row: pd.Series) -> dict[str, str]:
    """Return the level of each QID that a node tells more coarsely."""
    each = (told.rpartition(":") for told in row["levels"].split("|") if told)
    return {name: level for name, _, level in each}


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
    left_out = left_out_of(row)
    if places := {q: levels[q].index(level) for q, level in levels_of(row).items()}:
        steps.append({"generalise": places})
    if left_out:
        steps.append({"drop": left_out})
    changed = {qid for step in steps for each in step.values() for qid in each}
    kept = [each for each in (*levels, *sensitive) if each not in changed]
    protection = {"table": row["table"], "release": row["focal"], "steps": steps}
    protection |= {"attributes": kept} if kept else {}
    section: dict[str, Any] = {"protections": {name: protection}}
    if left := [qid for qid in levels if qid not in left_out]:
        analysis: dict[str, Any] = {"name": f"{row['analysis']}-after"}
        analysis |= {"table": row["table"], "focal": name, "qids": left}
        analysis |= {"sensitive": [*sensitive]} if sensitive else {}
        analysis |= {"subsets": "full"} if len(left) > _MOST_QIDS else {}
        section["analyses"] = {"collective": [analysis]}
    return yaml.safe_dump(section, sort_keys=False, allow_unicode=True, width=80)


def level_text(name: str, level: str, voice: Voice) -> str:
    if level == LEFT_OUT:
        return voice.say("smallest_protection.left_out", names=[name])
    kind, _, n = level.partition(" ")
    key = f"told_{kind}{'_one' if level == 'prefix 1' else ''}"
    return voice.say(f"smallest_protection.{key}", name=voice.quoted([name]), n=n)


def kind_of_loss(row: pd.Series) -> str:
    """Return what is lost, without what it is of."""
    return str(row["loss_of"].partition(":")[0])


def loss_text(kind: str, loss: float, numbers: Numbers) -> str:
    return numbers.ratio(loss) if kind == "regression" else numbers.share(loss)


def lost_text(
    row: pd.Series, say: Callable[..., str], prefix: str, numbers: Numbers
) -> str:
    """Write what a change loses, after its subject."""
    kind, _, of = row["loss_of"].partition(":")
    lost = loss_text(kind, float(row["loss"]), numbers)
    return say(f"{prefix}_{kind}", loss=lost, of=", ".join(of.split("|")))


def said_lost(row: pd.Series, voice: Voice) -> str:
    return lost_text(row, voice.say, "smallest_protection.lost", voice.numbers)


_MOST_EFFECTIVE = 100  # Nodes of a frontier up to which a table has all of them


@dataclass(frozen=True)
class SearchShown:
    """The tables of one search, texts never missing; nodes by re-identification."""

    # `lattice` has rows of all nodes, or none where they are too many. `exposed` may
    # lack where nothing is told of values.

    nodes: pd.DataFrame
    inferred: pd.DataFrame
    cuts: pd.DataFrame
    lattice: pd.DataFrame
    minimality: pd.DataFrame
    exposed: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def answer(self) -> pd.Series:
        return self.nodes[self.nodes["is_answer"]].iloc[0]

    @property
    def as_it_is(self) -> pd.Series:
        return self.nodes[self.nodes["n_changed"] == 0].iloc[0]

    @property
    def singles(self) -> pd.DataFrame:
        """Changes of one QID, those after which fewest are alone first."""
        singles = self.nodes[self.nodes["n_changed"] == 1]
        return singles.sort_values(["n_alone", "loss"], kind="stable")

    @property
    def frontier(self) -> pd.DataFrame:
        """Nodes with fewer alone than any of no more loss, by loss."""
        return self.nodes[self.nodes["on_frontier"]]

    @property
    def effective(self) -> pd.DataFrame:
        """The frontier and the answer, by loss."""
        # Of a long frontier, of each percent of people alone, what loses least.
        line = self.frontier
        if len(line) > _MOST_EFFECTIVE:
            percent = 100 * line["n_alone"] // line["n_records"]
            line = line[~percent.duplicated()]
        return self.nodes[self.nodes.index.isin(line.index) | self.nodes["is_answer"]]

    @property
    def is_whole(self) -> bool:
        """Whether the frontier is that of all nodes."""
        is_one = self.cuts["qids"].nunique() == 1
        is_counted = self.n_counted == self.cuts["n_nodes"].sum()
        return bool(len(self.lattice)) or bool(is_one and is_counted)

    def of_sensitive(self, name: str) -> tuple[pd.Series, pd.Series]:
        """Return the rows of a sensitive attribute as released, and of the answer."""
        rows = self.inferred[self.inferred["sensitive"] == name]
        as_it_is, answer = rows["n_changed"] == 0, rows["is_answer"]
        return rows[as_it_is].iloc[0], rows[answer].iloc[0]

    def bounded(self, name: str) -> pd.Series:
        """Return what a bound limits, as a share at each node; of k and l one over it.

        Of a sensitive attribute, that which is most exposed.
        """
        column, is_count = (OF_NODE | OF_SENSITIVE)[name]
        if name in OF_NODE:
            found = self.nodes[column].astype(float)
        else:
            of_node = self.inferred.groupby(["left_out", "levels"])[column]
            most = of_node.min() if name == "l" else of_node.max()
            at = pd.MultiIndex.from_frame(self.nodes[["left_out", "levels"]])
            found = most.astype(float).reindex(at).set_axis(self.nodes.index)
        if is_count:
            return found / self.nodes["n_records"]
        return 1 / found if name == "l" else found

    @property
    def values(self) -> pd.DataFrame:
        """A row a sensitive value: how many with it are exposed, before and after."""
        if self.exposed.empty:
            return self.exposed
        is_answer = self.exposed["is_answer"].isin([True, "true"])
        as_it_is = self.exposed[self.exposed["n_changed"] == 0]
        return self.exposed[is_answer].assign(n_before=as_it_is["n_certain"].to_numpy())

    def prior(self, name: str) -> float | None:
        """Return how often a guess without any QID is right, if all nodes are told."""
        if self.lattice.empty:
            return None
        rows = self.lattice[self.lattice["sensitive"] == name]
        return float(rows.loc[rows["node"].idxmax(), "posterior_prob"])

    @property
    def has_tables(self) -> bool:
        """Whether some change of one QID changes a table that the study names."""
        return bool(self.nodes["tables_changed"].any())

    @property
    def n_nodes(self) -> int:
        """Nodes that were decided, of all sets of QIDs."""
        return int(self.cuts["n_nodes"].sum()) - self.n_by("dearer")

    @property
    def n_counted(self) -> int:
        """Those of them that were counted."""
        return self.n_by("held", "failed", "held_itself", "failed_itself")

    def n_by(self, *reasons: str) -> int:
        is_asked = self.cuts["reason"].isin(reasons)
        return int(self.cuts.loc[is_asked, "n_nodes"].sum())

    @property
    def has_own_record(self) -> bool:
        """Whether the target bounds what the own record adds, which is not monotone."""
        return "own_record:" in self.answer["target"]


def shown_of(nodes: pd.DataFrame, *others: pd.DataFrame) -> SearchShown:
    """Return the tables of one search, however they were read."""
    # The others are `cuts`, `lattice`, `minimality` and, if given, `exposed`.
    told = tables.with_text(nodes)
    claims = {
        name: told[name].isin([True, "true"])
        for name in ("is_answer", "on_frontier", "holds")
    }
    told = told.assign(**claims, share_alone=told["n_alone"] / told["n_records"])
    is_person = told["sensitive"] == ""
    return SearchShown(
        told[is_person], told[~is_person], *map(tables.with_text, others)
    )


def levels_by_qid(nodes: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the names of each QID's levels, from that as it is to the last."""
    names = tables.qids_of(nodes.iloc[0])
    levels: dict[str, list[str]] = {name: [""] for name in names}
    singles = nodes[nodes["n_changed"] == 1].sort_values("information", kind="stable")
    for told, left_out in zip(singles["levels"], singles["left_out"], strict=True):
        if not left_out:
            name, _, level = told.rpartition(":")
            levels[name].append(level)
    return {name: (*found, LEFT_OUT) for name, found in levels.items()}
