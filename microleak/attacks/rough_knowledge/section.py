"""Analyses of what is known roughly, as the study file gives them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from microleak.records.compared import Need
from microleak.study_file.rough import Roughly, read_rough
from microleak.study_file.section import AnyAttributes, Context, OfQids, SubsetsWanted


class RoughKnowledge(OfQids):
    """What an adversary who knows the quasi-identifiers only roughly finds.

    Each QID of `roughly` is known within a range, as others would say it, or perhaps
    not at all; the others exactly. The adversary knows how, and believes by Bayes.
    """

    wanted: SubsetsWanted = Field("full", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record. Without any, persons are re-identified only."""

    roughly: Annotated[Roughly, Field(min_length=1)]
    """How QIDs are known that are not known exactly, as `{NU_ANO: {within: 1},
    TP_COR_RACA: {confusion: race.csv}, CO_MUNICIPIO_NASC: {unknown: "0.3"}}`."""

    @property
    def needs(self) -> Iterator[Need]:
        yield self.table, self.focal, (*self.qids, *self.sensitive)


SECTION = RoughKnowledge


def read_one(context: Context, section: RoughKnowledge) -> RoughKnowledge:
    release = context.focal(section)
    section.checked(release.where)
    release.check(section.qids, section.sensitive)
    of, domains = section.roughly, release.definition.domains
    roughly = read_rough(of, section.qids, "qids", release.where, domains)
    return section.model_copy(update={"roughly": roughly})
