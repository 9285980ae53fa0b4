"""A collective analysis as its jobs are given it, which is not as a study file is.

Apart from the section, so that a profile of a whole country does not follow it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from pydantic.dataclasses import dataclass

from microleak.base.arrays import QidMask
from microleak.records.coding import Group
from microleak.records.compared import Need
from microleak.records.subsets import subsets_of


@dataclass(frozen=True)
class Collective:
    """A collective analysis of one focal release."""

    name: str
    table: str
    focal: str
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    wanted: Any  # What the study file says of subsets
    auxiliary: tuple[str, ...] = ()  # Releases that are linked, in that order
    fewer: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    part_of: str = ""  # Analysis of many releases, of which this is one
    n_parts: int = 1  # In how many jobs its blocks are counted

    @cached_property
    def subsets(self) -> tuple[QidMask, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    @property
    def panel(self) -> str:
        """Name of the panel of all its releases, as in `2014+2015`."""
        return "+".join(self.releases)

    @cached_property
    def prefixes(self) -> tuple["Collective", ...]:
        """The analysis with none of its auxiliary releases, the first, and so on."""
        linked = [self.auxiliary[:n] for n in range(len(self.auxiliary) + 1)]
        return tuple(
            replace(
                self,
                auxiliary=used,
                fewer={name: self.fewer[name] for name in self.fewer if name in used},
            )
            for used in linked
        )

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        if release == self.focal:
            grouped = [group.attribute for group in self.groups]
            return tuple(dict.fromkeys((*self.qids, *self.sensitive, *grouped)))
        return self.fewer.get(release, self.qids)

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)


@dataclass(frozen=True)
class Scenario:
    """An adversary that the study file names, and the QIDs that it knows."""

    name: str
    qids: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)  # Who it is, by language

    def subset(self, qids: Sequence[str]) -> QidMask:
        """Return its QIDs as a bit mask over those of an analysis, which has them."""
        return sum(1 << qids.index(name) for name in self.qids)
