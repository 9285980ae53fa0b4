"""Released files: archives, their members, and what they are."""
