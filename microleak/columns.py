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

INGEST_COUNTS = ("n_read", "n_refused", "n_kept", "n_dropped", "n_records")
INGEST = ("table", "release", *INGEST_COUNTS, "synthetic", "sha256")

SUPPRESSED = "suppressed"
"""The column that only tables for the public have."""
