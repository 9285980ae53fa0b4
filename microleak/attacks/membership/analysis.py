"""A membership analysis: a sample, its population, and what the adversary knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from microleak.records.compared import Compared


@dataclass(frozen=True)
class Membership(Compared):
    """A membership analysis; who prints it does not see what is known of targets.

    Attributes
    ----------
    targets
        Known values of each target by QID, in the population's codes; None is a
        missing one.
    """

    targets: Mapping[str, Mapping[str, str | None]] = field(
        default_factory=dict, repr=False
    )

    @property
    def compared(self) -> Compared:
        """The sample with its population."""
        return self

    @property
    def member_files(self) -> dict[str, str]:
        """Target by the name of its table, without an ending."""
        return {f"{self.name}-{target}": target for target in self.targets}
