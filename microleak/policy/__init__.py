"""The gate: limits of a policy, tried on the tables of a study or of a frame."""
