"""Reading study files: strict YAML, checks, and faults in one sentence."""
