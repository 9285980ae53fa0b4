"""Risks that collective attacks tell: of whom, and of whose rarer values."""

from collections.abc import Iterator
from functools import partial

from microleak.attacks.collective.report.contents import Facts
from microleak.attacks.collective.report.headline import Subject, concluded
from microleak.attacks.collective.section import Further, read_scenarios
from microleak.report import risks as kit
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def risks(
    measured: kit.RiskTables, settings: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield what adversaries find who have all linked releases, as `Risks` has it.

    They are those of the study file or else somebody with the worst set of QIDs.
    """
    given = {kind: kit.numbered(table) for kind, table in measured.items()}
    row = given["collective"].iloc[0]
    facts = _facts(settings)
    scope = facts.scope(voice, row["analysis"], row["table"], row["focal"])
    for subject in Subject.every(given, facts.adversaries).values():
        for who, row in subject.asked:
            of = kit.attack_of(row, *tables.releases_of(row))
            told = concluded(subject, who, row, scope)
            where = voice.say(
                f"ripd_collective.{of['kind']}",
                row,
                releases=tables.panel_label(row),
            )
            cell = partial(kit.NumberCell, "collective", int(row["row"]))
            yield kit.Risk(
                **of,
                words=f"{told.sentence} {where}",
                who=who.name if who else "",
                chance=cell(*told.counts),
                guess=cell("posterior_prob"),
                baseline=cell("prior_prob"),
                cells=tuple(
                    kit.NumberCell(
                        "values", int(value["row"]), "n_certain", "n_members"
                    )
                    for value in told.values
                ),
            )


def _facts(settings: kit.StudySettings) -> Facts:
    """Return what sentences need of a study, as far as its file says it."""
    given = {"scenarios": settings.get("scenarios", {})}
    scenarios = Further.model_validate(given).scenarios
    published = settings.get("published", {})
    of = published.get("families", {}).get("collective", {}).get("analyses", {})
    return Facts(
        frozenset(published.get("line_tables", ())),
        {name: [*t["releases"]] for name, t in settings.get("tables", {}).items()},
        fewer={name: part["fewer"] for name, part in of.items()},
        adversaries=[*read_scenarios(scenarios)],
    )


RISKS = kit.Risks(("collective", "worst", "values"), risks)
