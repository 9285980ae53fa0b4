"""Success of the attacks where QIDs are known roughly."""
