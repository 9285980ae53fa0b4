"""Risks that a published file tells: who is singled out in it, and what it says."""

from collections.abc import Iterator

from microleak.attacks.published_file.report import most_told
from microleak.report import risks as kit
from microleak.report.texts import Voice


def risks(
    measured: kit.RiskTables, _: kit.StudySettings, voice: Voice
) -> Iterator[kit.Risk]:
    """Yield the risks by the sets of facts that do most, as `Risks` has it."""
    sets = kit.numbered(measured["published_file"]).assign(sensitive="")
    row = sets.loc[sets["n_singled_out"].idxmax()]
    yield kit.Risk(
        **kit.attack_of(row, row["focal"]),
        words=voice.say("ripd_published_file.reidentification", row),
        chance=kit.NumberCell("published_file", int(row["row"]), "singled_out"),
    )
    for _, row in most_told(kit.numbered(measured["published_guesses"])).iterrows():
        cell, place = kit.NumberCell, int(row["row"])
        yield kit.Risk(
            **kit.attack_of(row, row["focal"]),
            words=voice.say("ripd_published_file.inference", row),
            chance=cell("published_guesses", place, "n_claims_right", "n_records"),
            guess=cell("published_guesses", place, "posterior_prob"),
            baseline=cell("published_guesses", place, "posterior_loo"),
        )


RISKS = kit.Risks(("published_file", "published_guesses"), risks)
