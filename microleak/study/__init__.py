"""A study loaded, its jobs and steps, and what made each result."""
