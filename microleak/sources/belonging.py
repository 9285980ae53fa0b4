"""Whether the records of a table are of the state and the month of its file's name."""

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from microleak.errors import ArchiveError
from microleak.sources.dbf_header import DbfHeader
from microleak.sources.definition import SourceDefinition
from microleak.sources.member import Member
from microleak.sources.monthly import Claim


def claims_of(
    member: Member, definition: SourceDefinition, header: DbfHeader
) -> list[Claim]:
    """Give what a member's name says of its records, in columns it has as text."""
    named = re.fullmatch(definition.members, member.name, re.IGNORECASE)
    if definition.monthly is None or named is None:
        return []
    there = {column.name for column in header.columns if column.is_written}
    claims = definition.monthly.claims(named["month"])
    return [claim for claim in claims if claim.column in there]


def check_claims(
    batch: pa.RecordBatch, claims: Sequence[Claim], member: Member
) -> None:
    """Refuse records that are of another state or month than their file's name says.

    Each distinct value is looked at once. A missing value says nothing.

    Parameters
    ----------
    batch
        Records with the columns of the claims.

    Raises
    ------
    ArchiveError
        Naming the file, the state or month it should be of, and the other one.
    """
    for claim in claims:
        values = pc.drop_null(pc.unique(batch.column(claim.column)))
        is_own = pc.starts_with(values, claim.begins)
        if foreign := values.filter(pc.invert(is_own)).to_pylist():
            raise ArchiveError(
                f"{member.where} has records of {claim.found(foreign[0])} (in "
                f"{claim.column}), {claim.meaning} expected by its name. Fetch it "
                "again, or give it its right name."
            )
