"""Tables of a finished report in the formats of other programs."""
