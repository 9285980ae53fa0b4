"""What answers to queries say, proofs of what follows, and audits of queries."""
