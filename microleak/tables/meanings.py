"""The type and meaning of every column of the result tables, said once."""

from dataclasses import dataclass

from microleak.tables.columns import ANONYMITY_THRESHOLDS, UNIQUENESS_MODELS


@dataclass(frozen=True)
class Column:
    """What a column holds.

    Attributes
    ----------
    datatype
        `string`, `boolean`, `integer` or `number`, as CSV on the Web names them.
    meaning
        One sentence; docs/results.md says more.
    """

    datatype: str
    meaning: str


def _text(meaning: str) -> Column:
    return Column("string", meaning)


def _count(meaning: str) -> Column:
    return Column("integer", meaning)


def _number(meaning: str) -> Column:
    return Column("number", meaning)


def _claim(meaning: str) -> Column:
    return Column("boolean", meaning)


COLUMNS = {
    "criterion": _text(
        "By which posterior the subset is the worst of its size: deterministic or "
        "probabilistic."
    ),
    "attack": _text(
        "CRS for re-identification, CAS for attribute inference; CRL and CAL where "
        "releases are linked."
    ),
    "analysis": _text("Analysis in the study file."),
    "table": _text("Table in the study file."),
    "release": _text("Release in the study file."),
    "focal": _text("Release that is attacked."),
    "auxiliary": _text("Releases that are linked to it, joined by |."),
    "qids": _text("What the adversary knows, joined by |."),
    "n_qids": _count("Number of attributes that the adversary knows."),
    "sensitive": _text(
        "Attribute that the adversary infers; empty for re-identification."
    ),
    "n_records": _count("Records, one a person."),
    "n_blocks": _count("Blocks of the partition by the QIDs."),
    "n_certain": _count("Records re-identified, or inferred, with certainty."),
    "n_modal": _count(
        "Number of blocks (CRS, CRL), or sum over blocks of the most frequent value's "
        "count (CAS, CAL)."
    ),
    "prior_det": _number("Share of records found with certainty, knowing no QID."),
    "posterior_det": _number("Share of records found with certainty."),
    "degradation_det": _number("posterior_det minus prior_det."),
    "prior_prob": _number("Chance to be right about a record, knowing no QID."),
    "posterior_prob": _number("Chance to be right about a record."),
    "degradation_prob": _number("posterior_prob divided by prior_prob."),
    "additive_leakage": _number("posterior_prob minus prior_prob."),
    "gain_det": _number(
        "posterior_det minus that with one auxiliary release less; empty without any."
    ),
    "gain_prob": _number(
        "posterior_prob minus that with one auxiliary release less; empty without any."
    ),
    "qid": _text("Attribute whose importance the row says."),
    "posterior_det_without": _number("posterior_det without the attribute."),
    "posterior_prob_without": _number("posterior_prob without the attribute."),
    "additive_leakage_without": _number("additive_leakage without the attribute."),
    "shapley_det": _number(
        "What the attribute adds to posterior_det, on average over all orders in "
        "which attributes become known."
    ),
    "shapley_prob": _number(
        "What the attribute adds to posterior_prob, on average over all orders in "
        "which attributes become known."
    ),
    "earlier": _text("Release that comes first in the study file."),
    "later": _text("Next release in the study file that is attacked likewise."),
    **{
        f"{name}_{release}": column(f"{meaning} of the {release} release.")
        for release in ("earlier", "later")
        for name, column, meaning in (
            ("n_records", _count, "Records"),
            ("posterior_det", _number, "Share of records found with certainty"),
            ("posterior_prob", _number, "Chance to be right about a record"),
        )
    },
    "difference_det": _number("posterior_det_later minus posterior_det_earlier."),
    "difference_prob": _number("posterior_prob_later minus posterior_prob_earlier."),
    "bin": _count(
        "Individual success in [bin/100, (bin+1)/100); 100 is a success of exactly 1."
    ),
    "attribute": _text(
        "Attribute with an invalid value; empty where the reason is of the whole row."
    ),
    "reason": _text(
        "Why rows were removed: missing or outside its domain, deleted by the office, "
        "or any of these, each row once."
    ),
    "n_rows": _count("Rows removed for this attribute and reason."),
    "share_of_read": _number("Share of the rows in the archive."),
    "n_read": _count("Rows in the archive."),
    "n_refused": _count("Rows set aside for a value outside its domain."),
    "n_kept": _count("Rows that were not."),
    "n_dropped": _count("Further records of persons that have several."),
    "synthetic": Column("boolean", "Whether a twin made the release."),
    "sha256": _text("SHA-256 of the archive."),
    "role": _text("qid or sensitive."),
    "attributes": _text("Attributes taken together, joined by |."),
    "n_attributes": _count("Number of attributes taken together."),
    "entropy": _number("Shannon entropy of the attributes' joint values, in bits."),
    "mean_block_size": _number("n_records divided by n_blocks."),
    "expected_block_size": _number("Mean size of the block of a random record."),
    "state": _text("State that the release is of."),
    "year": _text("Year that the release is of."),
    "n_above_90": _count("Records guessed right with a chance above 90 %."),
    "share_above_90": _number("Share of records guessed right with more than 90 %."),
    "sensitive_entropy": _number("Entropy of the sensitive attribute, in bits."),
    "qids_entropy": _number("Joint entropy of the QIDs, in bits."),
    "explained_by": _text("What may explain the leakage of states, joined by |."),
    "n_states": _count("States compared."),
    "correlation": _number(
        "Pearson's correlation with the additive leakage over the states; empty for "
        "several explanations or where it is undefined."
    ),
    "r_squared": _number(
        "Share of the leakage's variance over the states that a linear fit explains."
    ),
    "adjusted_r_squared": _number("The same, less what chance alone explains."),
    "group": _text("Group of values in the study file."),
    "value": _text(
        "Value of the sensitive attribute that is inferred; empty where it is missing."
    ),
    "is_missing": _claim("Whether the value inferred is a missing one."),
    "n_members": _count("Records with one of the group's values, or with the value."),
    "n_likely": _count("Members in blocks more than half of which are members."),
    "multiplicative_leakage": _number("posterior_prob divided by prior_prob."),
    "population": _text("Table that has the population."),
    "population_release": _text("Release of it."),
    "sample": _text("Table that has the sample."),
    "sample_release": _text("Release of it."),
    "n_population": _count("Records of the population that count, one a person."),
    "n_sample": _count("Records of the sample that count, one a person."),
    "n_blocks_population": _count("Blocks of the population by the QIDs."),
    "n_blocks_sample": _count("Blocks of the sample by the QIDs."),
    "n_sample_unique": _count("Persons who are alone in their block of the sample."),
    "n_found": _count("Those of them whose values the population has."),
    "n_unique_both": _count("Those of them who are alone in the population too."),
    "n_not_found": _count(
        "Persons of the sample whose values the population does not have."
    ),
    "n_blocks_in_excess": _count(
        "Blocks with more persons of the sample than of the population."
    ),
    "prior": _number("Chance that a target is in the sample, knowing no QID."),
    "posterior_person": _number(
        "Mean over the persons of the sample of the chance that they are in it."
    ),
    "additive_leakage_person": _number("posterior_person minus prior."),
    "degradation_printed": _number(
        "Expected degradation as Rodrigues prints it, from n/d; no ratio of chances."
    ),
    "degradation_partition": _number(
        "The same from the chance d/n, each block weighing 1/n_sample."
    ),
    "degradation_person": _number("posterior_person divided by prior."),
    "bayes_prior": _number(
        "Chance to be right about presence or absence, knowing no QID."
    ),
    "bayes_posterior": _number(
        "Mean over the population of the chance to be right about presence or absence."
    ),
    "bayes_degradation": _number("bayes_posterior divided by bayes_prior."),
    "bayes_additive_leakage": _number("bayes_posterior minus bayes_prior."),
    "persons_of": _text("Whose persons are counted, sample or population."),
    "n_fitting": _count("Persons of the population who have a person's values."),
}
"""Every column of a result table."""

_IN_BLOCKS = "Percent of the records that are {}; a difference of two rounded shares."
PUBLIC_COLUMNS = {
    "n_records": _count("Records to the nearest 100; empty below 1,000."),
    "is_worst": _claim("Whether the combination is the worst of its size."),
    "step_pct": _count(
        "Percent to which shares are rounded; 0 may be none, and 100 all."
    ),
    "alone_pct": _count("Percent of the records that are alone in their block."),
    "from_2_to_4_pct": _count(_IN_BLOCKS.format("in blocks of 2 to 4")),
    "from_5_to_9_pct": _count(_IN_BLOCKS.format("in blocks of 5 to 9")),
    "from_10_to_99_pct": _count(_IN_BLOCKS.format("in blocks of 10 to 99")),
    "from_100_pct": _count(_IN_BLOCKS.format("in blocks of 100 and more")),
    "prior_pct": _count("Percent of the records that have the most frequent value."),
    "posterior_pct": _count(
        "Percent of the records that have the most frequent value of their block."
    ),
}
"""Further columns of the tables of a public report, and what differs there."""

TARGET_COLUMNS = {
    "target": _text("Target in the study file."),
    "known": _text("Attributes of which a value is known, joined by |."),
    "n_known": _count("Number of known values."),
    "outcome": _text("match, or no match if no record has the known values."),
    "block_size": _count("Records with the known values."),
    "n_modal": _count(
        "1 for re-identification, else the most frequent value's count in the block."
    ),
    "n_distinct": _count("Values in the block; of re-identification its records."),
    "prior_det": _claim("Whether it is certain, knowing nothing."),
    "posterior_det": _claim("Whether it is certain, knowing the values."),
    "degradation_det": _claim("Whether only the attack made it certain."),
    "most_likely": _text("Most frequent sensitive values of the block, joined by |."),
    "attribute": _text("Attribute that may be learned next."),
    "expected_success": _number("Chance to pick the target's record once it is known."),
    "certain": _number("Chance that the target is then alone."),
    "expected_block_size": _number("Mean size of the target's block then."),
}
"""Columns that only tables of targets have, or with a meaning of their own."""

MEMBER_COLUMNS = {
    "outcome": _text(
        "match, or no match if no person of the population has the known values."
    ),
    "n": _count("Persons of the population with the known values."),
    "d": _count("Persons of the sample with the known values."),
    "posterior_printed": _number("n/d, 0 if d is 0, as Rodrigues prints it."),
    "degradation_printed": _number("posterior_printed divided by prior."),
    "posterior": _number("Chance that the target is in the sample, d/n, at most 1."),
    "degradation": _number("posterior divided by prior."),
    "bayes_posterior": _number("Chance to be right about presence or absence."),
}
"""The same for tables of targets of membership analyses."""

ANONYMITY_COLUMNS = {
    "sensitive": _text("Sensitive attribute; empty where it is of the blocks."),
    "k_anonymity": _count("Records of the smallest block."),
    **{
        name: column
        for k in ANONYMITY_THRESHOLDS
        for name, column in {
            f"n_below_{k}": _count(f"Records of blocks of fewer than {k}."),
            f"share_below_{k}": _number(f"Share of records of blocks below {k}."),
            f"n_unsafe_combinations_{k}": _count(f"Blocks of at most {k} records."),
            f"n_entities_below_{k}": _count(f"Entities of blocks of fewer than {k}."),
            f"share_entities_below_{k}": _number(
                f"Share of entities of blocks of fewer than {k}."
            ),
            f"n_below_k_map_{k}": _count(
                f"Records of whose block the population has fewer than {k}."
            ),
            f"share_below_k_map_{k}": _number(
                f"Share of records of whose block the population has fewer than {k}."
            ),
        }.items()
    },
    "n_entities": _count("Entities of all rows."),
    "n_entity_blocks": _count("Blocks of entities with equal multisets of rows."),
    "k_anonymity_entities": _count("Entities of the smallest such block."),
    "l_distinct": _count("Least number of distinct values of a block."),
    "l_entropy": _number("Exponential of the least entropy of a block."),
    **{
        f"recursive_c_{l_values}": _number(
            f"Bound above which c is for recursive (c, {l_values})-diversity; empty if "
            "no c will do."
        )
        for l_values in (2, 3)
    },
    "t_equal": _number("Largest distance of a block, values equally far apart."),
    "t_ordered": _number("The same, values as far apart as their ranks."),
    "n_population": _count("Records of the population, or what is said to be them."),
    "k_map": _count("Records of the population that fit a record, at least."),
    "delta_presence_min": _number("Least chance d/n of a person of the population."),
    "delta_presence_max": _number("Largest chance d/n of a person of the population."),
    "k_map_estimated": _number("k_map expected from the table and n_population alone."),
    **{
        name: column
        for model in UNIQUENESS_MODELS
        for name, column in {
            f"posterior_unique_{model}": _number(
                "Chance that a record alone in the table is so in the population, by a "
                f"model ({model})."
            ),
            f"posterior_match_{model}": _number(
                "Mean chance to pick its record among those of the population, by a "
                f"model ({model})."
            ),
        }.items()
    },
    "delta_presence_estimated": _number(
        "Largest mean chance that a person of the population is in the table, by the "
        "negative binomial model, were it a simple random sample."
    ),
    "model": _text("What is counted, as k-anonymity or k-map."),
    "lower": _count("Least value of a bucket: size, number of values, or of k-map n."),
    "upper": _count("Largest value of the bucket that may occur."),
    "n_blocks": _count("Blocks within."),
    "n_records": _count("Records, or entities, of these blocks."),
    "share_of_blocks": _number("Share of the subset's blocks."),
    "share_of_records": _number("Share of the subset's records, or entities."),
}
"""Columns that only tables of anonymity have, or with a meaning of their own."""

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

_RECONSTRUCTION_TEXTS = {
    "attack": "How the database is rebuilt.",
    "database": "Where its entries come from: random and the chance of a 1, or the "
    "release, attribute and value of the persons drawn.",
    "queries": "How many queries are asked, as the study file says.",
    "error": "How far an answer may be from the exact one, as the study file says.",
    "noise": "Law of the noise.",
    "epsilon": "How little truncated geometric noise there is, as the study file says; "
    "empty for other noise.",
    "status": "solved; infeasible if no database could have given the answers; or not "
    "solved, if time ran out.",
}
_CLAIMS = {
    "is_exact": "Whether all entries are claimed, and right.",
    "is_consistent": "Whether the database claimed could have given every answer; "
    "empty if not all entries are claimed.",
    "is_proven": "Whether no other database could have, if the bound is right.",
}
_RECONSTRUCTION_COUNTS = {
    "n_entries": "Entries of the database.",
    "n_ones": "Entries that are 1.",
    "n_queries": "Queries asked.",
    "repeat": "Which database of this setting, from 1 up.",
    "seed": "Seed of the database, the queries and the noise.",
    "limit_s": "Seconds that the attack may take.",
    "n_claimed": "Entries of which the attack says what they are.",
    "n_right": "Entries of which it says so rightly.",
    "n_violated": "Answers that the database claimed contradicts; empty if not all "
    "entries are claimed.",
    "n_candidates": "Databases that could have given the answers; empty if they were "
    "not all tried.",
    "diameter": "Most entries in which two of these differ.",
    "n_steps": "Steps from 0 to 1 of the grid of points.",
    "n_points": "Random points of the grid.",
    "n_bad": "Points with too many entries farther than 1/3 from the database.",
    "n_feasible": "Points that every answer allows.",
    "n_bad_feasible": "Points that are both.",
}
_RECONSTRUCTION_NUMBERS = {
    "prior": "Share of entries right by guessing the more frequent bit for all.",
    "error_bound": "How far an answer may be from the exact one.",
    "assumed_bound": "How far the attack takes an answer to be from the exact one.",
    "outliers": "Share of the answers that are any number.",
    "share_right": "n_right divided by n_entries.",
    "distance": "Share of entries that may be farther than 1/3 in a point not bad.",
    "share_bad": "n_bad divided by n_points.",
    "share_bad_grid": "Share of all points of the grid that are bad, exactly.",
    "share_bad_feasible": "n_bad_feasible divided by n_points.",
}

RECONSTRUCTION_COLUMNS = {
    name: Column(datatype, meaning)
    for datatype, meanings in (
        ("string", _RECONSTRUCTION_TEXTS),
        ("boolean", _CLAIMS),
        ("integer", _RECONSTRUCTION_COUNTS),
        ("number", _RECONSTRUCTION_NUMBERS),
    )
    for name, meaning in meanings.items()
}
"""Columns that only tables of reconstruction have, or with a meaning of their own."""
