"""The type and meaning of the columns of the tables of mechanisms, said once."""

from microleak.meanings.measures import Column

_TEXTS = {
    "focal": "Release that is counted.",
    "sensitive": "Attribute that the adversary infers from a noisy count.",
    "useful": "Attribute whose values are counted.",
    "predicate": "Which values are counted, as the study file says, joined by |.",
    "scenario": "A if each attribute is inferred from the other, B if neither is, C if "
    "only the sensitive one from the useful one, D if only the other way round.",
    "model": "Mechanism that adds the noise.",
    "epsilon": "How little noise there is, as the study file says.",
    "measure": "What is measured: of samples privacy_loss or utility, of draws whose "
    "guess is right, the adversary's (posterior) or the analyst's (utility).",
}
_COUNTS = {
    "n_matching": "Records that are counted: the count without noise.",
    "n_sensitive_values": "Values of the sensitive attribute that occur.",
    "n_useful_values": "Values that the useful attribute can have or, without an order "
    "in the study file, that occur.",
    "n_samples": "Random samples of the records.",
    "n_sampled": "Records of each sample.",
    "n_draws": "Draws of a record and of the noisy count with it.",
    "n_leaking_counts": "Useful values whose count tells of the sensitive one.",
}
_NUMBERS = {
    "sensitive_from_useful": "Share of the errors in guessing the sensitive value that "
    "knowing the useful one takes away.",
    "useful_from_sensitive": "Share of the errors in guessing the useful value that "
    "knowing the sensitive one takes away.",
    "alpha": "exp(-epsilon).",
    "prior": "Chance to guess a record's sensitive value without a count.",
    "posterior": "Chance to guess a record's sensitive value with the noisy count; of "
    "pairs with that which tells most.",
    "privacy_loss": "posterior divided by prior.",
    "privacy_loss_limit": "privacy_loss without noise; of pairs of the count that then "
    "tells most.",
    "privacy_loss_limit_printed": "1 divided by prior, which no count need reach.",
    "utility": "Chance to guess the real count from the noisy one.",
    "utility_floor": "utility as epsilon falls to 0.",
    "utility_floor_printed": "Share of the most frequent useful value, which "
    "utility need not reach.",
    "mean": "Mean over the samples.",
    "standard_error": "Standard error of the mean.",
    "mean_low": "mean less 1.96 standard errors: lower end of its 95 % confidence "
    "interval; empty where all samples are equal.",
    "mean_high": "mean and 1.96 standard errors: upper end of that interval.",
    "low": "Lower end of the range of at least 95 % of the samples; no confidence "
    "interval of the mean.",
    "median": "Median of the samples.",
    "high": "Upper end of the range of at least 95 % of the samples.",
    "exact": "Chance to guess, as computed.",
    "simulated": "Share of the draws in which the guess was right.",
    "bound": "Most that simulated is from exact, but for one chance in 10^9.",
}

MECHANISM_COLUMNS = {
    name: Column(datatype, meaning)
    for datatype, meanings in (
        ("string", _TEXTS),
        ("integer", _COUNTS),
        ("number", _NUMBERS),
    )
    for name, meaning in meanings.items()
}
"""Columns that only tables of mechanisms have, or with a meaning of their own."""
