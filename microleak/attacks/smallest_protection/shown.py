"""The tables of one search, as its part of the page tells them."""

from dataclasses import dataclass, field

import pandas as pd

from microleak.attacks.smallest_protection.wording import LEFT_OUT
from microleak.tables import rows as tables

_MOST_EFFECTIVE = 100
"""Nodes of a frontier up to which a table has all of them."""


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

    @property
    def values(self) -> pd.DataFrame:
        """A row of the answer each value, with how many are exposed before."""
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
