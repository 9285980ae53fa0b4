"""Who is at risk: success of the attacks on groups of the persons."""
