"""What noise buys and costs for one count."""

from collections.abc import Iterator, Sequence
from typing import Any

from microleak.attacks.attack_context import AttackContext, PrivacyAndUtility
from microleak.attacks.dependence import dependence
from microleak.attacks.mechanism_bounds import MechanismBounds, bounds
from microleak.progress import progress
from microleak.study.noise import Noise, known


def measured(
    context: AttackContext, noises: Sequence[Noise]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `MECHANISM` from `scenario` on, a row a noise."""
    limits = bounds(context)
    which = _described(context)
    with progress("measuring noise", len(noises)) as advance:
        for noise in noises:
            found = noise.measure(context)
            yield {
                **which,
                **noise.columns,
                "alpha": float(noise.epsilon.alpha),
                **_measures(found, limits),
                **_shown(limits),
            }
            advance(1)


def _measures(found: PrivacyAndUtility, limits: MechanismBounds) -> dict[str, float]:
    """Return what was found, none of it below what no count would give."""
    posterior = known(found.posterior, found.error)
    loss = known(found.privacy_loss, found.privacy_loss_error)
    return {
        "prior": float(found.prior),
        "posterior": float(max(found.prior, posterior)),
        "privacy_loss": float(max(limits.loss_floor, loss)),
        "utility": float(max(limits.utility_floor, known(found.utility, found.error))),
    }


def _described(context: AttackContext) -> dict[str, Any]:
    both = dependence(context.counts)
    return {
        "scenario": both.scenario(),
        "sensitive_from_useful": float(both.sensitive.normalised_leakage),
        "useful_from_sensitive": float(both.useful.normalised_leakage),
        "n_records": context.n_records,
        "n_matching": context.n_counted,
        "n_sensitive_values": len(context.counts),
        "n_useful_values": len(context.is_counted),
    }


def _shown(limits: MechanismBounds) -> dict[str, float]:
    return {
        "privacy_loss_limit": float(limits.loss_noise_free),
        "privacy_loss_limit_printed": float(limits.loss_ceiling_printed),
        "utility_floor": float(limits.utility_floor),
        "utility_floor_printed": float(limits.utility_floor_printed),
    }
