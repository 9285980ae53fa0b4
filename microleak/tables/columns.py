"""The columns of the result tables and their order, said once."""

PANEL = ("attack", "analysis", "table", "focal", "auxiliary")
"""Columns that say which attack on which panel a row measures."""

WHICH = (*PANEL, "qids", "n_qids", "sensitive")
"""Columns that say which attack with which QIDs a row measures."""

COUNTS = ("n_records", "n_blocks", "n_certain", "n_modal")
SHARES = (
    "prior_det",
    "posterior_det",
    "degradation_det",
    "prior_prob",
    "posterior_prob",
    "degradation_prob",
    "additive_leakage",
)
CRITERIA = {"deterministic": "det", "probabilistic": "prob"}
"""How columns of each criterion end."""

SUCCESSES = {"det": "n_certain", "prob": "n_modal"}
"""The count whose share of the records is the posterior of each criterion."""

COLLECTIVE = (*WHICH, *COUNTS, *SHARES)
WORST = ("criterion", *COLLECTIVE)
DISTRIBUTION = (*WHICH, "bin", "n_records")

GAIN = (
    *WHICH,
    "n_records",
    "posterior_det",
    "gain_det",
    "posterior_prob",
    "gain_prob",
)
IMPORTANCE = (
    *PANEL,
    "sensitive",
    "qid",
    "n_records",
    "posterior_det",
    "posterior_det_without",
    "shapley_det",
    "posterior_prob",
    "posterior_prob_without",
    "additive_leakage_without",
    "shapley_prob",
)
COMPARISON = (
    "table",
    "earlier",
    "later",
    "qids",
    "n_qids",
    "sensitive",
    "attack",
    "n_records_earlier",
    "n_records_later",
    "posterior_det_earlier",
    "posterior_det_later",
    "difference_det",
    "posterior_prob_earlier",
    "posterior_prob_later",
    "difference_prob",
)

ENTROPY = (
    "analysis",
    "table",
    "focal",
    "role",
    "attributes",
    "n_attributes",
    "n_records",
    "n_blocks",
    "entropy",
    "mean_block_size",
    "expected_block_size",
)
STATES = (
    "analysis",
    "table",
    "release",
    "state",
    "year",
    "sensitive",
    "n_qids",
    "qids",
    "n_records",
    "prior_prob",
    "posterior_prob",
    "additive_leakage",
    "n_above_90",
    "share_above_90",
    "sensitive_entropy",
    "qids_entropy",
    "mean_block_size",
    "expected_block_size",
)
EXPLAINED = (
    "analysis",
    "table",
    "year",
    "sensitive",
    "n_qids",
    "explained_by",
    "n_states",
    "correlation",
    "r_squared",
    "adjusted_r_squared",
)
GROUPS = (
    "analysis",
    "table",
    "focal",
    "auxiliary",
    "qids",
    "n_qids",
    "group",
    "n_records",
    "n_blocks",
    "n_members",
    "n_certain",
    "n_likely",
    "n_above_90",
    "prior_prob",
    "posterior_det",
    "posterior_prob",
    "additive_leakage",
    "multiplicative_leakage",
)
VALUES = (*GROUPS[:6], "sensitive", "value", "is_missing", *GROUPS[7:])

BETWEEN = (
    "analysis",
    "population",
    "population_release",
    "sample",
    "sample_release",
)
"""Columns that say which sample and which population a row compares."""

COMPARED = (*BETWEEN, "qids", "n_qids")
MEMBERSHIP_COUNTS = (
    "n_population",
    "n_sample",
    "n_blocks_population",
    "n_blocks_sample",
    "n_sample_unique",
    "n_found",
    "n_unique_both",
    "n_not_found",
    "n_blocks_in_excess",
)
MEMBERSHIP_SHARES = (
    "prior",
    "posterior_person",
    "additive_leakage_person",
    "degradation_printed",
    "degradation_partition",
    "degradation_person",
    "bayes_prior",
    "bayes_posterior",
    "bayes_degradation",
    "bayes_additive_leakage",
)
MEMBERSHIP = (*COMPARED, *MEMBERSHIP_COUNTS, *MEMBERSHIP_SHARES)
PRESENCE = (*COMPARED, "persons_of", "bin", "n_records")
UNIQUES = (*COMPARED, "n_fitting", "n_sample_unique")

CHANCES = (0, 1, 2, 5, 10, 20, 50, 100)
"""Percent at which classes of the chance of presence begin, as they are published."""

ANONYMITY_THRESHOLDS = (2, 3, 5, 10)
"""The k of which columns say how many records violate it."""

UNIQUENESS_MODELS = ("negative_binomial", "poisson", "zayatz", "poisson_gamma")
"""Models of uniqueness in the population, as columns name them."""

ANONYMITY = (
    *("analysis", "table", "focal", "qids", "n_qids", "sensitive"),
    *("n_records", "n_blocks", "k_anonymity"),
    *(f"n_below_{k}" for k in ANONYMITY_THRESHOLDS),
    *(f"share_below_{k}" for k in ANONYMITY_THRESHOLDS),
    *(f"n_unsafe_combinations_{k}" for k in ANONYMITY_THRESHOLDS),
    *("n_entities", "n_entity_blocks", "k_anonymity_entities"),
    *(f"n_entities_below_{k}" for k in ANONYMITY_THRESHOLDS),
    *(f"share_entities_below_{k}" for k in ANONYMITY_THRESHOLDS),
    *("l_distinct", "l_entropy", "recursive_c_2", "recursive_c_3"),
    *("t_equal", "t_ordered"),
    *("n_population", "k_map"),
    *(f"n_below_k_map_{k}" for k in ANONYMITY_THRESHOLDS),
    *(f"share_below_k_map_{k}" for k in ANONYMITY_THRESHOLDS),
    *("delta_presence_min", "delta_presence_max"),
    *("n_sample_unique", "n_unique_both"),
    *("k_map_estimated", "delta_presence_estimated"),
    *(f"posterior_unique_{model}" for model in UNIQUENESS_MODELS),
    *(f"posterior_match_{model}" for model in UNIQUENESS_MODELS),
)
CLASSES = (
    *("analysis", "table", "focal", "model", "sensitive", "qids", "n_qids"),
    *("lower", "upper", "n_blocks", "n_records"),
    *("share_of_blocks", "share_of_records"),
)

MECHANISM = (
    *("analysis", "table", "focal", "sensitive", "useful", "predicate"),
    *("scenario", "sensitive_from_useful", "useful_from_sensitive"),
    *("model", "epsilon", "alpha"),
    *("n_records", "n_matching", "n_sensitive_values", "n_useful_values"),
    *("prior", "posterior", "privacy_loss"),
    *("privacy_loss_limit", "privacy_loss_limit_printed"),
    *("utility", "utility_floor", "utility_floor_printed"),
)
SAMPLES = (
    *("analysis", "table", "focal", "sensitive", "useful", "predicate"),
    *("model", "epsilon", "n_records", "n_samples", "n_sampled", "measure"),
    *("mean", "standard_error", "mean_low", "mean_high", "low", "median", "high"),
)
SIMULATED = (
    *("analysis", "table", "focal", "sensitive", "useful", "predicate"),
    *("model", "epsilon", "n_draws", "measure"),
    *("exact", "simulated", "bound"),
)
PAIRS = (
    *("analysis", "table", "focal", "sensitive", "useful", "scenario"),
    *("epsilon", "alpha"),
    *("n_records", "n_sensitive_values", "n_useful_values"),
    *("prior", "posterior", "sensitive_from_useful", "useful_from_sensitive"),
    *("n_leaking_counts", "privacy_loss", "privacy_loss_limit"),
)

REBUILT_FROM = (
    *("queries", "n_queries", "error", "error_bound", "noise", "epsilon"),
    *("repeat", "seed"),
)
"""Columns that say from which answers a database is rebuilt."""

RECONSTRUCTION = (
    *("analysis", "attack", "database", "n_entries", "n_ones", "prior"),
    *(*REBUILT_FROM, "outliers", "assumed_bound", "limit_s"),
    *("status", "n_claimed", "n_right", "share_right"),
    *("is_exact", "is_consistent", "n_violated", "is_proven"),
    *("n_candidates", "diameter"),
)
BAD_POINTS = (
    *("analysis", "n_entries", *REBUILT_FROM, "n_steps", "distance"),
    *("n_points", "n_bad", "n_feasible", "n_bad_feasible"),
    *("share_bad", "share_bad_grid", "share_bad_feasible"),
)

FAMILIES = {
    "membership": ("membership", "presence", "uniques"),
    "anonymity": ("anonymity", "classes"),
    "mechanism": ("mechanism", "samples", "simulated", "pairs"),
    "reconstruction": ("reconstruction", "bad_points"),
}
"""Tables that parts of the page show, by what the study file calls the analyses."""

INGEST_COUNTS = ("n_read", "n_refused", "n_kept", "n_dropped", "n_records")
INGEST = ("table", "release", *INGEST_COUNTS, "synthetic", "sha256")

PUBLIC_CLASSES = (
    *("alone_pct", "from_2_to_4_pct", "from_5_to_9_pct"),
    *("from_10_to_99_pct", "from_100_pct"),
)
"""Share of the records in blocks of each class of sizes."""

_PUBLIC = ("analysis", "table", "focal", "auxiliary")
PUBLIC_BLOCKS = (*_PUBLIC, "qids", "n_qids", "is_worst", "step_pct", *PUBLIC_CLASSES)
PUBLIC_INFERENCE = (
    *(*_PUBLIC, "sensitive", "qids", "n_qids", "is_worst", "step_pct"),
    *("prior_pct", "posterior_pct"),
)
PUBLIC_RELEASES = ("table", "release", "n_records", "synthetic")
