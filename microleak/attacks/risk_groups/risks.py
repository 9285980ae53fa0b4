"""The risk of the group of persons that is found most often with certainty."""

from collections.abc import Iterator

from microleak.attacks.risk_groups.report import group_named, most_at_risk
from microleak.report import risks as kit
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risk of the group most at risk, of each attack, as `Risks` has it."""
    # There is none where no group that can be compared is found more often than others.
    shown = tables.with_most_qids(kit.numbered(measured["risk_groups"]))
    for _, of_attack in shown.groupby("sensitive", sort=False):
        row = most_at_risk(of_attack)
        if row is not None:
            of, group = kit.attack_of(row, row["focal"]), group_named(row, voice)
            yield kit.Risk(
                **of,
                words=voice.say(f"ripd_risk_groups.{of['kind']}", row, group=group),
                chance=kit.NumberCell("risk_groups", int(row["row"]), "posterior_det"),
            )


RISKS = kit.Risks(("risk_groups",), risks)
