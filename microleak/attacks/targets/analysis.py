"""An attack on one person of a release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from microleak.records.compared import Need


@dataclass(frozen=True)
class Target:
    """An analysis of one person; who prints it does not see what is known of them.

    Attributes
    ----------
    name, table, focal
        As of a collective analysis.
    known
        Known values by release and attribute; None is a missing one.
    sensitive
        Attributes of the focal release to infer.
    further
        Attributes that the adversary might learn next, of every release of
        `known`.
    """

    name: str
    table: str
    focal: str
    known: Mapping[str, Mapping[str, str | None]] = field(repr=False)
    sensitive: tuple[str, ...]
    further: tuple[str, ...]

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Releases other than the focal one of which a value is known."""
        return tuple(release for release in self.known if release != self.focal)

    @property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        needed = (*self.known.get(release, {}), *self.further)
        return (*needed, *self.sensitive) if release == self.focal else needed

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)
